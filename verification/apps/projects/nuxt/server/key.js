/** The key of a request. */
export const keyOf = (event) => event.headers.get('idempotency-key')
