/**
 * Creates the values of the `upstash-sync-token` header. Each is higher than the one before, even after a restart.
 * Clients send the last one back, so that they can read their own writes from a lagging replica. Behind a gateway is
 * one primary, which does not lag, so the gateway ignores the values that it gets.
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
