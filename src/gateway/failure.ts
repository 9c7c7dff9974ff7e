/** The error for a command that got no reply. It must not reveal the address or state of a server. */
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

// Words that look like an error code of Redis but begin the message of a connection error.
const transportError =
  /^(?:DNS|HTTPS?|IO|SSL|TCP|TLS|ECONN|EHOST|ENOTFOUND|EPIPE|ETIMEDOUT|EAI_|ERR_)/

/**
 * The text of an error reply of Redis. Undefined for other errors of a client: a lost connection, a timeout or a closed
 * client. The rules, in this order:
 *
 * 1. An error is a reply if its name or one of its classes is `ReplyError` or `ErrorReply`. The first is from ioredis.
 *    The second is from node-redis, whose SimpleError and BlobError extend it.
 * 2. An error whose `code` property begins with a capital is a system error (`ECONNREFUSED`).
 * 3. An error is a reply if its message begins with an upper-case word of two letters or more. The error codes of Redis
 *    (`ERR`, `WRONGTYPE`, `NOSCRIPT`) look like that. The rule is needed because bundlers may rename classes.
 */
export const replyErrorText = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined
  if (isNamed(error, 'ReplyError') || isNamed(error, 'ErrorReply')) return error.message
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && /^[A-Z]/.test(code)) return undefined
  const coded = /^[A-Z][A-Z\d_]+(?: |$)/.test(error.message) && !transportError.test(error.message)
  return coded ? error.message : undefined
}

// The server runs no commands, or none that write, until it has loaded, ended a script, found its primary, or moved a
// slot. READONLY, OOM and MISCONF are not listed, since those errors last until somebody intervenes.
const notReady = /^(?:LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS)(?: |$)/

/** Whether a server replied that it did not run the command but may soon, so that retrying helps. */
export const isNotReady = (text: string): boolean => notReady.test(text)
