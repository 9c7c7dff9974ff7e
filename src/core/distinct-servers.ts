import { identityKey } from '../protocol/keys.ts'
import { RedlockError } from '../util/redlock-error.ts'
import type { Subject } from './attempt.ts'
import { agrees, type Answer } from './quorum.ts'

// Two nodes that lead to one server have one vote, since a quorum of one server is worthless. A server that started
// from a copy of the data of another has the id of that, too: it looks the same from here, and loses its vote. Each
// answer names its server, so the answers of a round are compared with each other, and nothing that was
// true earlier matters.

/** Two answers of one server, by the ranks of their nodes. */
export type Twins = { readonly ignored: number; readonly counted: number }

/**
 * Enters the answer of a node. Of two answers of one server only one counts: as if the other node had
 * not been asked, so that a wrong configuration is as safe as one with fewer nodes. A grant takes
 * precedence, since the later of two releases finds nothing. Otherwise the lower rank does. The answer
 * that does not count is replaced by a report that says so.
 *
 * @param prefix - That of the keys of Redis.
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

/** Reports two nodes that have one id, once per isolate. */
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

// Each server stores a random id and returns it with every reply, which costs no request. So the
// answers of one server are recognised whatever urls lead to it, also if a url leads elsewhere later.

// Ids need to be unique, not secret: a random one per isolate, and a number.
let isolate: string | undefined
let ids = 0

/**
 * The end of the ids that servers adopt unless they have one; each begins with another number. It has 28 random
 * bits. An id of no more than 12 characters is joined by engines without a tree of strings. Two servers with one
 * id would share a vote, which is safe.
 */
export const newIdentity = (): string => {
  // With a letter that no number has, since some clients read digits as one.
  isolate ??= `f${crypto.randomUUID().slice(0, 7)}`
  ids = (ids + 1) % 36 ** 3
  return isolate + ids.toString(36)
}
