import type { Acquisition } from '../../core/acquisition.ts'
import type { CallOutcome } from '../../core/outcome.ts'
import type { WindowResult } from '../../core/lock/acquire.ts'
import { createLock } from '../../core/lock/held-lock.ts'
import type { Namespace } from '../../protocol/keys.ts'
import { slotLua, withLua } from '../../redis/commands.ts'
import { type Attempt, subjectOf } from '../../core/attempt.ts'
import { done, type Operation, type Rule } from '../../core/rule.ts'
import { acquireRule } from '../../core/rules/acquire.ts'
import { acquiring } from '../../core/operations.ts'
import { answered } from '../../core/quorum.ts'
import { answersFor, areAllTaken, freeOf, grantsOf, slotNumbers, wantedSlot } from './reading.ts'

/** The key of a slot. Each slot is a separate lock. */
export const slotKey = (key: string, slot: number): string => `${key}#${slot}`

/** The first slot to try. It is derived from the secret, so that clients do not all start with the same slot. */
const firstSlot = (value: string, limit: number): number => {
  let sum = 0
  for (let at = 0; at < 8; at++) sum = (31 * sum + value.charCodeAt(at)) % 2 ** 31
  return 1 + (sum % limit)
}

/**
 * Chooses the slot for the next requests. The first request to a node accepts any slot, but prefers the one that
 * earlier nodes granted. If nodes granted different slots, a client with a slot on the first node asks the others
 * again, for only that slot.
 */
const acquiringSlot = (limit: number): Operation => ({
  ...acquiring,
  choose: (round, ranks) => ({
    slot: wantedSlot(round) ?? firstSlot(round.attempt.value, limit),
    isOnly: ranks.some((rank) => round.nodes[rank]!.requests),
  }),
  make: (about, terms, choice) =>
    withLua(slotLua, { op: 'acquire-slot', ...about, ...terms, ...choice! }),
})

/** The rule for acquiring one of the slots: the rule for a lock, applied to the slot that the client should acquire. */
const slotRule =
  (limit: number): Rule<CallOutcome> =>
  (round, now) => {
    const { attempt, answers, nodes, plan } = round
    const slot = wantedSlot(round)
    // The nodes that granted another slot and have not been asked for only this one.
    const send = plan.order.filter((rank) => {
      const { choice } = nodes[rank]!
      const isAsked = choice?.isOnly && choice.slot === slot
      return (answers[rank]?.slot ?? slot) !== slot && !isAsked
    })
    if (grantsOf(answers, slot) >= plan.quorum) {
      if (send.length) return { send }
    } else if (areAllTaken(answers, limit, plan.quorum)) return done('taken')
    const mapped = answersFor(answers, slot, plan.ttl)
    const step = acquireRule({ attempt, plan, nodes, answers: mapped }, now)
    // If no other client competes for this slot, there is no reason to wait.
    if (!('done' in step) || !send.length || !plan.budget.affords(send.length)) return step
    return freeOf(answers, limit, plan.quorum).includes(slot!) ? { send } : step
  }

/** Narrows an attempt on all slots to a single slot. */
const attemptOn = (attempt: Attempt, slot: number): Attempt => {
  const { client, namespace, keys, metadata, waitUntil, budget } = attempt.subject
  const own = [keys[slot - 1]!]
  return { ...attempt, subject: subjectOf(client, namespace, own, metadata, waitUntil, budget) }
}

// Why there are never more than `limit` holders: a client holds a slot only if a majority has granted that slot to one
// attempt. Grants of different slots are never added together. A slot becomes free on a node when its TTL ends, or when
// its holder releases it or asks for `only` another slot. A client first asks for `any` slot, then always for the same
// one. From then on, it ignores late grants of other slots. So a request for `only` one slot never removes a slot that
// a client relies on.

/**
 * The acquisition of one of `limit` slots. Each slot is a lock, so it has at most one holder. A single request asks a
 * node for any of the slots.
 */
export const slotAcquisition = (
  namespace: Namespace,
  limit: number,
): Acquisition<WindowResult> => ({
  namespace,
  slots: limit,
  keysToAsk: ([key]) => slotNumbers(limit).map((slot) => slotKey(key!, slot)),
  rule: slotRule(limit),
  operation: acquiringSlot(limit),
  reports: answered,
  resultOf: (round) => {
    const { answers, elapsed, attempt, plan } = round
    const slot = wantedSlot(round)!
    const own = answersFor(answers, slot, plan.ttl)
    const free = freeOf(answers, limit, plan.quorum).filter((one) => one !== slot)
    const lock = createLock({ attempt: attemptOn(attempt, slot), elapsed, answers: own })
    return { ok: true, lock, remaining: free.length }
  },
})
