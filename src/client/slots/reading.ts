import type { RoundView } from '../../core/rule.ts'
import { foreign } from '../../protocol/reply.ts'
import { type Answer, type Answers, isEndless, isTaken } from '../../core/quorum.ts'

/** The number of nodes that have granted the slot. Grants of different slots are not added together. */
export const grantsOf = (answers: Answers, slot: number | undefined): number =>
  answers.filter((answer) => slot && answer?.slot === slot).length

/** The slot that most nodes have granted; undefined if no node has granted one. */
const likelySlot = (answers: Answers): number | undefined => {
  const slots = answers.map((answer) => answer?.slot)
  return slots.reduce((likely, slot) =>
    grantsOf(answers, slot) > grantsOf(answers, likely) ? slot : likely,
  )
}

/** By node: the holder of each slot before the command, in the order of the slots. */
const allHolders = (answers: Answers): (readonly (string | null)[])[] =>
  answers.map((answer) => answer?.holders ?? [])

/** The numbers of all slots. */
export const slotNumbers = (limit: number): number[] =>
  Array.from({ length: limit }, (_, index) => index + 1)

/** Whether a slot is free on a quorum of nodes, according to the holders on each node. */
const isFree = (
  all: readonly (readonly (string | null)[])[],
  slot: number | undefined,
  quorum: number,
): boolean => all.filter((list) => list[slot! - 1] === null).length >= quorum

/** The slots that were free on a quorum of nodes before the command, including those since granted to this client. */
export const freeOf = (answers: Answers, limit: number, quorum: number): number[] => {
  const all = allHolders(answers)
  return slotNumbers(limit).filter((slot) => isFree(all, slot, quorum))
}

/** Whether each slot has a holder on a quorum of nodes. */
export const areAllTaken = (answers: Answers, limit: number, quorum: number): boolean => {
  const all = allHolders(answers)
  const isHeld = (index: number): boolean => {
    const holders = all.map((list) => list[index])
    return holders.some((one) => one && holders.filter((other) => other === one).length >= quorum)
  }
  return slotNumbers(limit).every((slot) => isHeld(slot - 1))
}

/** The slot that the first node with a valid answer, by rank, has granted; undefined if that node granted none. */
const ledSlot = (answers: Answers): number | undefined =>
  answers.find((answer) => answer && !answer.error)?.slot

/**
 * The slot that a client should acquire; undefined while any slot is acceptable.
 *
 * Once the client has asked for only one slot, it keeps to that slot for this secret, even if a late answer grants
 * another one. Otherwise, a delayed request for the first slot could make a node release the second one.
 *
 * Before that, a slot that a quorum has granted comes first. Next comes a granted slot that was free on a quorum,
 * starting with the one from the first node. (That node may have lost track of a slot's holder, so its grant alone is
 * not enough.) Otherwise it is the slot from the first node, so in a split vote that node decides which client gets
 * which slot. If the first node granted no slot, it is the slot that most nodes granted.
 */
export const wantedSlot = ({ answers, nodes, plan }: RoundView): number | undefined => {
  const { quorum } = plan
  for (const { choice } of nodes) if (choice?.isOnly) return choice.slot
  const likely = likelySlot(answers)
  // Checked first, because a client must not give up a slot that it has won.
  if (grantsOf(answers, likely) >= quorum) return likely
  const led = ledSlot(answers) ?? likely
  const all = allHolders(answers)
  return (
    [led, ...answers.map((answer) => answer?.slot)].find((slot) => isFree(all, slot, quorum)) ?? led
  )
}

/** Whether no slot on the node is free, and this slot holds data of another program. */
const isForeign = (answer: Answer, slot: number | undefined): boolean => {
  const { holders = [] } = answer
  return holders[slot! - 1] === foreign && !holders.includes(null)
}

/**
 * Converts the answers to answers about a lock on this slot. Each node that rejects names a different holder, because
 * competing clients may be acquiring different slots. A node that has granted another slot, or has a free one, must be
 * asked again. So it counts as locked by a client that will soon release.
 */
export const answersFor = (
  answers: Answers,
  slot: number | undefined,
  ttl: number,
): (Answer | undefined)[] =>
  answers.map((answer, index) => {
    const holder = `${index}`
    if (!answer || isEndless(answer)) return answer
    const grantsOther = answer.status === 'granted' && answer.slot !== slot
    if (!isTaken(answer) && !grantsOther) return answer
    if (isTaken(answer) && isForeign(answer, slot))
      return { ...answer, status: foreign, holder: foreign, ttl: undefined }
    return { ...answer, status: 'locked', holder, ttl: answer.ttl || ttl }
  })
