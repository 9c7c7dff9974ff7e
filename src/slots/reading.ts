import { foreign, isEndless } from '../protocol/reply.ts'
import type { NodeReport } from '../reports/node-report.ts'
import type { Plan, View } from '../vote/next-step.ts'
import { type Answer, type Answers, answered } from '../vote/tally.ts'

// Where slot.lua grants a slot, it returns the number of that in place of the time that a lock had left. In
// place of the metadata it always returns the holders of all slots.

/** The slot that a node has granted; undefined where it has granted none. */
export const grantedSlot = (answer: Answer | undefined): number | undefined =>
  answer?.status === 'granted' ? answer.ttl : undefined

/** How many nodes have granted the slot. Grants of different slots are not added up. */
export const grantsOf = (answers: Answers, slot: number | undefined): number =>
  answers.filter((answer) => slot && grantedSlot(answer) === slot).length

/** The slot that most nodes have granted; undefined where none has. */
const likelySlot = (answers: Answers): number | undefined => {
  const slots = answers.map(grantedSlot)
  return slots.reduce((likely, slot) =>
    grantsOf(answers, slot) > grantsOf(answers, likely) ? slot : likely,
  )
}

/** The holders of the slots on a node, in order, as they were before it granted one. */
const holdersOf = (answer: Answer | undefined): string[] => answer?.metadata?.split(' ') ?? []

/** The numbers of all slots. */
export const slotNumbers = (limit: number): number[] =>
  Array.from({ length: limit }, (_, index) => index + 1)

/** Whether a slot is free on a quorum of nodes, by the holders on each of them. */
const isFree = (all: string[][], slot: number | undefined, quorum: number): boolean =>
  all.filter((list) => list[slot! - 1] === '-').length >= quorum

/** The slots that are free on a quorum of nodes, or were until those granted them to this client. */
export const freeOf = (answers: Answers, limit: number, quorum: number): number[] => {
  const all = answers.map(holdersOf)
  return slotNumbers(limit).filter((slot) => isFree(all, slot, quorum))
}

/** Whether each slot has a holder with a quorum of nodes. */
export const areAllTaken = (answers: Answers, limit: number, quorum: number): boolean => {
  const all = answers.map(holdersOf)
  const isTaken = (index: number): boolean => {
    const holders = all.map((list) => list[index])
    return holders.some(
      (one) => one && one !== '-' && holders.filter((other) => other === one).length >= quorum,
    )
  }
  return slotNumbers(limit).every((slot) => isTaken(slot - 1))
}

/** The slot of the first node that answered, if that has granted one. */
const ledSlot = (answers: Answers): number | undefined =>
  grantedSlot(answers.find((answer) => answer && !answer.error))

/**
 * The slot that a client wants; undefined while any will do. Once it has asked for one slot only, it never wants
 * another one with the same secret: a request may arrive late, and a node would give up the slot of the later one,
 * even if a late answer to an earlier request grants that. Otherwise it is a slot that it has won, or one that
 * nobody else keeps from it: the first node may have missed who holds its slot. In a split vote it is that of the
 * first node, so that node decides which client gets which slot. A client without one there may still have a quorum
 * elsewhere.
 */
export const wantedSlot = ({ answers, seats }: View, { quorum }: Plan): number | undefined => {
  const asked = seats.find(({ argument }) => argument?.startsWith('only '))
  if (asked) return Number(asked.argument!.slice(5))
  const likely = likelySlot(answers)
  // First: a slot that is won must not be left for another one.
  if (grantsOf(answers, likely) >= quorum) return likely
  const led = ledSlot(answers) ?? likely
  const all = answers.map(holdersOf)
  return [led, ...answers.map(grantedSlot)].find((slot) => isFree(all, slot, quorum)) ?? led
}

/** Whether all slots of the node are taken, and this one by data of another program. */
const isForeign = (answer: Answer, slot: number | undefined): boolean => {
  const holders = holdersOf(answer)
  return holders[slot! - 1] === foreign && !holders.includes('-')
}

/**
 * The answers as those of a lock on this slot. Its rivals have no names, as each may want another slot. A node that
 * has granted another slot, or has one that is free, is to be asked again, like one that a rival of this moment has.
 */
export const answersFor = (
  answers: Answers,
  slot: number | undefined,
  ttl: number,
): (Answer | undefined)[] =>
  answers.map((answer, index) => {
    const holder = `${index}`
    if (answer?.status === 'locked') {
      if (isEndless(answer)) return answer
      return isForeign(answer, slot)
        ? { ...answer, holder: foreign, ttl: undefined }
        : { ...answer, holder, ttl: answer.ttl || ttl }
    }
    if (answer?.status !== 'granted' || grantedSlot(answer) === slot) return answer
    return { ...answer, status: 'locked', holder, ttl }
  })

/**
 * The reports for the caller: without the holders of all slots, which stand in place of metadata, and without the
 * number of a granted slot, which stands in place of the ttl.
 */
export const reportsOf = (answers: Answers): NodeReport[] =>
  answered(answers).map(({ metadata: _metadata, ttl, ...report }) =>
    report.status === 'granted' ? report : Object.assign(report, { ttl }),
  )
