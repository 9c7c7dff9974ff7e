import { identityKey } from '../protocol/keys.ts'
import { RedlockError } from '../util/redlock-error.ts'
import type { Subject } from './attempt.ts'
import { agrees, type Answer } from './quorum.ts'

// Two nodes that lead to one server have one vote, since a quorum of one server is worthless. A server that started
// from a copy of another server's data also has that server's ID. A client cannot tell the two apart, so the copy loses
// its vote. Each answer names its server. Only the answers of one round are compared with each other, so earlier rounds
// have no influence.

/** Two answers of one server, by the ranks of their nodes. */
export type Twins = { readonly ignored: number; readonly counted: number }

/**
 * Enters the answer of a node. Of two answers of one server, only one counts, as if the other node had not been asked.
 * So a wrong configuration is as safe as one with fewer nodes. A grant takes precedence, since the later of two
 * releases finds nothing. Otherwise, the answer with the lower rank counts. The other answer is replaced by a report of
 * the duplicate.
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
  // An answer that does not count has no server, so there is one other at most.
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

/** Reports two nodes with the same ID, once per isolate. */
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
  warn?.(`${node} ${error!.message}`, pair)
}

// Each server stores a random ID and returns it with every reply, which costs no request. So answers of one server are
// recognized whatever URLs lead to it, even if a URL later leads to another server.

// IDs must be unique, but need not be secret. Each consists of a random part, which the isolate keeps, and a number.
let isolate: string | undefined
let ids = 0

/**
 * The end of the IDs that servers adopt unless they have one. Each ID begins with a different number. The end has 28
 * random bits. Engines concatenate an ID of at most 12 characters without a tree of strings. If two servers had the
 * same ID, they would share a vote, which is safe.
 */
export const newIdentity = (): string => {
  // Begins with a letter, since some clients convert a text of digits to a number.
  isolate ??= `f${crypto.randomUUID().slice(0, 7)}`
  ids = (ids + 1) % 36 ** 3
  return isolate + ids.toString(36)
}
