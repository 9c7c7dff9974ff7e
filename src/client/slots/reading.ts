import type { RoundView } from '../../core/rule.ts'
import { foreign } from '../../protocol/reply.ts'
import { type Answer, type Answers, isEndless, isTaken } from '../../core/quorum.ts'

/** The number of nodes that have granted the slot. Grants of different slots are not added. */
export const grantsOf = (answers: Answers, slot: number | undefined): number =>
  answers.filter((answer) => slot && answer?.slot === slot).length

/** The slot that most nodes have granted; undefined if no node has granted one. */
const likelySlot = (answers: Answers): number | undefined => {
  const slots = answers.map((answer) => answer?.slot)
  return slots.reduce((likely, slot) =>
    grantsOf(answers, slot) > grantsOf(answers, likely) ? slot : likely,
  )
}

/** By node: the holders of the slots, in order, before the node granted one. */
const allHolders = (answers: Answers): (readonly (string | null)[])[] =>
  answers.map((answer) => answer?.holders ?? [])

/** The numbers of all slots. */
export const slotNumbers = (limit: number): number[] =>
  Array.from({ length: limit }, (_, index) => index + 1)

/** Whether a slot is free on a quorum of nodes, by the holders on each of them. */
const isFree = (
  all: readonly (readonly (string | null)[])[],
  slot: number | undefined,
  quorum: number,
): boolean => all.filter((list) => list[slot! - 1] === null).length >= quorum

/** The slots that are free on a quorum of nodes, or were free until the nodes granted them to this client. */
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

/** The slot that the first node to answer, in the order of the nodes, has granted; undefined if it granted none. */
const ledSlot = (answers: Answers): number | undefined =>
  answers.find((answer) => answer && !answer.error)?.slot

/**
 * The slot that a client wants; undefined while any slot is acceptable.
 *
 * Once the client has asked for one particular slot, it never wants another one with the same secret, even if a late
 * answer grants one. Otherwise, a delayed request for the first slot would make a node release the second one.
 *
 * Before that, it is a slot that the client has won, or one that is free on a quorum. The first node may have missed
 * the holder of its slot. In a split vote, it is the slot of the first node, so that node decides which client gets
 * which slot. A client without a slot there may still have a quorum elsewhere.
 */
export const wantedSlot = ({ answers, nodes, plan }: RoundView): number | undefined => {
  const { quorum } = plan
  for (const { choice } of nodes) if (choice?.isOnly) return choice.slot
  const likely = likelySlot(answers)
  // This comes first: a client must not leave a slot that it has won.
  if (grantsOf(answers, likely) >= quorum) return likely
  const led = ledSlot(answers) ?? likely
  const all = allHolders(answers)
  return (
    [led, ...answers.map((answer) => answer?.slot)].find((slot) => isFree(all, slot, quorum)) ?? led
  )
}

/** Whether all slots of the node are taken, and this slot holds data of another program. */
const isForeign = (answer: Answer, slot: number | undefined): boolean => {
  const { holders = [] } = answer
  return holders[slot! - 1] === foreign && !holders.includes(null)
}

/**
 * Converts the answers to answers about a lock on this slot. Competing clients get different names, as each may want
 * another slot. A node that has granted another slot, or has a free one, must be asked again. So it counts as locked by
 * a competitor that will soon release.
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
