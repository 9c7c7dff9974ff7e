import type { Answer, Answers } from '../quorum/tally.ts'

// Where slot.lua grants a slot, it returns the number of that in place of the time that a lock had left. In
// place of the metadata it always returns the holders of all slots.

/** The slot that a node has granted; undefined where it has granted none. */
export const grantedSlot = (answer: Answer | undefined): number | undefined =>
  answer?.status === 'granted' ? answer.ttl : undefined

/**
 * The slot that a quorum of nodes has granted; undefined where there is none. A client that has asked for
 * one slot only has no other: the nodes give up any other one when that request arrives, also those whose
 * late answer to an earlier request grants it.
 */
export const wonSlot = (answers: Answers, quorum: number, only?: number): number | undefined => {
  const all = answers.flatMap((answer) => grantedSlot(answer) ?? [])
  const granted = all.filter((slot) => only === undefined || slot === only)
  return granted.find((slot) => granted.filter((other) => other === slot).length >= quorum)
}

/** The holders of the slots on a node, in order, as they were before it granted one. */
const holdersOf = (answer: Answer | undefined): string[] => answer?.metadata?.split(' ') ?? []

/** The numbers of all slots. */
export const slotNumbers = (limit: number): number[] =>
  Array.from({ length: limit }, (_, index) => index + 1)

/** The slots that are free on a quorum of nodes. */
export const freeOf = (answers: Answers, limit: number, quorum: number): number[] => {
  const all = answers.map(holdersOf)
  return slotNumbers(limit).filter(
    (slot) => all.filter((list) => list[slot - 1] === '-').length >= quorum,
  )
}

/** Whether each slot has a holder with a quorum of nodes. */
export const isFullHouse = (answers: Answers, limit: number, quorum: number): boolean => {
  const all = answers.map(holdersOf)
  const isTaken = (index: number): boolean => {
    const holders = all.map((list) => list[index])
    return holders.some(
      (one) => one && one !== '-' && holders.filter((other) => other === one).length >= quorum,
    )
  }
  return slotNumbers(limit).every((slot) => isTaken(slot - 1))
}
