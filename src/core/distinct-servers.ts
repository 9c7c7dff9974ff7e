import { identityKey } from '../protocol/keys.ts'
import { RedlockError } from '../util/redlock-error.ts'
import type { Subject } from './attempt.ts'
import { agrees, type Answer } from './quorum.ts'

// Two nodes that lead to the same server share one vote, because a quorum on a single server protects nothing. A server
// that started from a copy of another server's data also has that server's ID. A client cannot tell the two apart, so
// the copy loses its vote. Each answer contains the ID of its server, and only answers from the same round are
// compared.

/** The ranks of two nodes that lead to the same server. */
export type Twins = { readonly ignored: number; readonly counted: number }

/**
 * Records a node's answer. If two answers come from the same server, only one counts, so this misconfiguration is as
 * safe as having fewer nodes. Success takes precedence: of two releases, the second finds nothing to release.
 * Otherwise, the answer with the lower rank counts. A `duplicate` error replaces the answer that is ignored.
 *
 * @param prefix - The prefix of the Redis keys.
 */
export const enterAnswer = (
  answers: (Answer | undefined)[],
  rank: number,
  answer: Answer,
  prefix: string,
): Twins | undefined => {
  answers[rank] = answer
  const { server } = answer
  if (!server) return undefined
  // An ignored answer has no `server`, so at most one other answer matches.
  let other = 0
  while (other < answers.length && (other === rank || answers[other]?.server !== server)) other++
  if (other === answers.length) return undefined
  const [low, high] = rank < other ? [rank, other] : [other, rank]
  const isHigh = agrees(answers[high]!) && !agrees(answers[low]!)
  const [ignored, counted] = isHigh ? [low, high] : [high, low]
  const error = new RedlockError(
    `is the same server as ${answers[counted]!.node}, or a copy of its data: it does not count. Start a copy empty, or delete ${prefix + identityKey} there`,
  )
  answers[ignored] = { node: answers[ignored]!.node, status: 'duplicate', error }
  return { ignored, counted }
}

/** Reports two nodes with the same server ID, once per isolate. */
export const reportDuplicate = (
  {
    client: {
      cache: { duplicates },
      warn,
    },
    emit,
  }: Subject,
  { node, error }: Answer,
  duplicateOf: string,
): void => {
  const pair = [node, duplicateOf].sort().join()
  if (duplicates.has(pair)) return
  duplicates.add(pair)
  emit?.({ type: 'duplicate-node', node, duplicateOf })
  warn?.('ERL20', `${node} ${error!.message}`, pair)
}

// Each server stores a random ID and returns it with every reply, at no extra request. So the client recognizes a
// server under any URL, even if that URL later leads to another server.

// IDs must be unique, but not secret. Each consists of the number of its request, a random part that stays the same
// within an isolate, and a counter.
let isolate: string | undefined
let ids = 0

/**
 * The suffix of the IDs that a command offers to servers without an ID. The sender prefixes it with a different number
 * for each request. The suffix has 28 random bits. JavaScript engines store a concatenation of at most 12 characters as
 * a flat string, not as a tree. If two servers ever had the same ID, they would share one vote, which is safe.
 */
export const newIdentity = (): string => {
  // The ID contains a letter, because some clients convert a string of digits to a number.
  isolate ??= `f${crypto.randomUUID().slice(0, 7)}`
  ids = (ids + 1) % 36 ** 3
  return isolate + ids.toString(36)
}
