/** What a client is told when Redis did not answer: never the address or the state of a server. */
export const unavailable =
  'UNAVAILABLE Redis cannot be reached; the command may or may not have run'

const isNamed = (error: Error, name: string): boolean => {
  if (error.name === name) return true
  let prototype = Object.getPrototypeOf(error) as Error | null
  while (prototype && prototype.constructor.name !== name) {
    prototype = Object.getPrototypeOf(prototype) as Error | null
  }
  return prototype !== null
}

// What looks like an error code of Redis, but starts the message of a broken connection.
const transport = /^(?:DNS|HTTPS?|IO|SSL|TCP|TLS|ECONN|EHOST|ENOTFOUND|EPIPE|ETIMEDOUT|EAI_|ERR_)/

/**
 * The text of an error that Redis itself replied; undefined for anything else a `send` rejects
 * with: a lost connection, a timeout, a closed client. In this order:
 *
 * 1. an error whose name, or whose class, is `ReplyError` (ioredis) or `ErrorReply` (node-redis,
 *    where SimpleError and BlobError extend it) is a reply;
 * 2. an error with an upper-case `code` property is a system error (`ECONNREFUSED`);
 * 3. an error whose message starts with an upper-case word of two letters or more, as Redis's
 *    error codes are (`ERR`, `WRONGTYPE`, `NOSCRIPT`), is a reply: a bundler may rename classes.
 */
export const replyErrorText = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined
  if (isNamed(error, 'ReplyError') || isNamed(error, 'ErrorReply')) return error.message
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && /^[A-Z]/.test(code)) return undefined
  const coded = /^[A-Z][A-Z\d_]+(?: |$)/.test(error.message) && !transport.test(error.message)
  return coded ? error.message : undefined
}
