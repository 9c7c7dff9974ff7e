/**
 * Creates the values of the `upstash-sync-token` header. Each value is higher than the previous one, even after a
 * restart. Clients send the last value back, so that a lagging replica can return their own writes. The gateway ignores
 * received values, because it has a single primary, which does not lag.
 *
 * @see {@link https://upstash.com/docs/redis/howto/readyourwrites}
 */
export const createSyncTokens = (): (() => string) => {
  let last = 0
  return () => {
    last = Math.max(last + 1, Date.now())
    return String(last)
  }
}
