/** What a node has said in a vote, as the protocol has it. */
export type Vote = {
  readonly node: number
  readonly operation: string
  readonly owner: string
  readonly status: string
  readonly holder: string
  readonly fence: number
}

/** An answer as it comes over the wire. */
export type Wire = { readonly status: number; readonly body: string | Uint8Array }

// Far more than any reply takes: who sends more is not heard to the end.
const mostText = 65_536

/** A body as it travels. */
export const bytesOf = (body: Wire['body']): Uint8Array =>
  typeof body === 'string' ? new TextEncoder().encode(body) : body

/**
 * Reads an answer by the letter of the protocol, and knows nothing of how the client does it:
 * undefined for whatever is not the right reply to these words.
 */
export const judge = (
  node: number,
  words: readonly string[],
  { status: http, body }: Wire,
  most: number = mostText,
): Vote | undefined => {
  const text = new TextDecoder().decode(bytesOf(body))
  if (http !== 200 || text.length > most) return undefined
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
  const isRefusal = status === 'locked'
  const fits = isRefusal ? /^[^ ]{1,9}( |$)/.test(by) : /^( |$)/.test(by)
  if (!fits || !/^(granted|locked|absent|quarantined)$/.test(status)) return undefined
  const holder = by.split(' ')[0]!
  return { node, operation, owner, status, holder, fence: fence as number }
}
