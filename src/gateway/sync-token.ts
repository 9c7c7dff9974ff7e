/**
 * Creates the values of the `upstash-sync-token` header: each is higher than the one before, also
 * after a restart. Clients return the last one so that a replica that lags lets them read their own
 * writes; behind a gateway is one primary, which does not lag, so the gateway ignores what they
 * return.
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
