/** The key of a request. */
export const keyOf = ({ request }) => request.headers.get('idempotency-key')
