/** The error for a command without a reply. It must not reveal the address or state of a server. */
export const unavailableError =
  'UNAVAILABLE Redis cannot be reached; the command may or may not have run'

const isNamed = (error: Error, name: string): boolean => {
  if (error.name === name) return true
  let prototype = Object.getPrototypeOf(error) as Error | null
  while (prototype && prototype.constructor.name !== name) {
    prototype = Object.getPrototypeOf(prototype) as Error | null
  }
  return prototype !== null
}

// Words that look like a Redis error code, but start the message of a connection error.
const transportError =
  /^(?:DNS|HTTPS?|IO|SSL|TCP|TLS|ECONN|EHOST|ENOTFOUND|EPIPE|ETIMEDOUT|EAI_|ERR_)/

/**
 * Returns the text of a Redis error reply. Undefined for other errors of a client, such as a lost connection, a timeout
 * or a closed client. The rules apply in this order:
 *
 * 1. An error is a reply if it has the name or class `ReplyError`, as in ioredis, or `ErrorReply`, as in node-redis.
 *    In node-redis, `SimpleError` and `BlobError` extend that class.
 * 2. An error whose `code` starts with a capital letter is a system error, such as `ECONNREFUSED`.
 * 3. An error is a reply if its message starts with an upper-case word of two or more letters. Redis error codes look
 *    like that: `ERR`, `WRONGTYPE`, `NOSCRIPT`. This rule is needed because bundlers can rename classes.
 */
export const replyErrorText = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined
  if (isNamed(error, 'ReplyError') || isNamed(error, 'ErrorReply')) return error.message
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && /^[A-Z]/.test(code)) return undefined
  const coded = /^[A-Z][A-Z\d_]+(?: |$)/.test(error.message) && !transportError.test(error.message)
  return coded ? error.message : undefined
}

// Temporary errors: the server is loading, running a script, looking for its primary, or moving a slot. READONLY, OOM
// and MISCONF are not listed, because they last until someone intervenes.
const notReady = /^(?:LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS)(?: |$)/

/** Whether an error reply is temporary: the server did not run the command, and a retry can succeed. */
export const isNotReady = (text: string): boolean => notReady.test(text)
