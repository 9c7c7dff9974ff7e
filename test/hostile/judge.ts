/** The vote of a node, as the protocol defines it. */
export type Vote = {
  readonly node: number
  readonly operation: string
  readonly owner: string
  readonly status: string
  readonly holder: string
  readonly fence: number
}

/** An HTTP answer. */
export type Wire = { readonly status: number; readonly body: string | Uint8Array }

// Far more characters than any reply has. The client stops reading there.
const maxText = 65_536

/** The bytes of a body. */
export const bytesOf = (body: Wire['body']): Uint8Array =>
  typeof body === 'string' ? new TextEncoder().encode(body) : body

/**
 * Parses an answer by the definition of the protocol, independently of the client. Returns undefined
 * unless it is a valid reply to this command.
 */
export const judge = (
  node: number,
  words: readonly string[],
  { status: http, body }: Wire,
  maxLength: number = maxText,
): Vote | undefined => {
  const text = new TextDecoder().decode(bytesOf(body))
  if (http !== 200 || text.length > maxLength) return undefined
  let reply: { result?: unknown; error?: unknown }
  try {
    reply = JSON.parse(text) as typeof reply
  } catch {
    return undefined
  }
  if (typeof reply !== 'object' || reply === null || Array.isArray(reply)) return undefined
  if (!Array.isArray(reply.result) || reply.error) return undefined
  const [operation, owner] = words.slice(3 + Number(words[2])) as [string, string]
  const [echo, status, left, by, fence] = reply.result as unknown[]
  if (echo !== operation + owner) return undefined
  if (!Number.isSafeInteger(left) || !Number.isSafeInteger(fence)) return undefined
  if (typeof status !== 'string' || typeof by !== 'string') return undefined
  const isRejection = status === 'locked'
  const fits = isRejection ? /^[^ ]{1,9}( |$)/.test(by) : /^( |$)/.test(by)
  if (!fits || !/^(granted|locked|absent|quarantined)$/.test(status)) return undefined
  // A key that never expires is no lock, whoever stands in it.
  const holder = isRejection && (left as number) < 0 ? 'hforeign' : by.split(' ')[0]!
  return { node, operation, owner, status, holder, fence: fence as number }
}
