// The words of Node, Bun, Deno, workerd, ioredis and node-redis.
const lost =
  /ECONNRESET|EPIPE|ERR_SOCKET|(connection|socket).* (closed|lost|reset)|max retries per request|isn't writeable/i

/**
 * Whether a request failed because its connection ended before the reply, as connections do that a
 * balancer has forgotten while they were idle. The server may have run the request. A new connection
 * most likely works.
 */
export const isLostConnection = ({ message }: Error): boolean => lost.test(message)
