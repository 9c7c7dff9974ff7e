import type { Acquisition } from '../core/acquisition.ts'
import type { CallOutcome } from '../core/outcome.ts'
import type { WindowResult } from '../acquire/acquire.ts'
import { createLock } from '../lock/held-lock.ts'
import { isAffordable } from '../local/budget.ts'
import type { Namespace } from '../protocol/keys.ts'
import { slotLua, withLua } from '../protocol/redis.ts'
import { type Lease, subjectOf } from '../core/attempt.ts'
import { type Rule, acquireRule } from '../core/rules/acquire.ts'
import { acquiring, type Operation } from '../core/operations.ts'
import { answered } from '../core/quorum.ts'
import { answersFor, areAllTaken, freeOf, grantsOf, slotNumbers, wantedSlot } from './reading.ts'

/** The name of a slot: that of a lock, whose nodes it shares. */
export const slotKey = (key: string, slot: number): string => `${key}#${slot}`

/** The slot to begin with, from the secret: clients must not all ask for the same one. */
const firstSlot = (value: string, limit: number): number => {
  let sum = 0
  for (let at = 0; at < 8; at++) sum = (31 * sum + value.charCodeAt(at)) % 2 ** 31
  return 1 + (sum % limit)
}

/**
 * Which slot to ask the next nodes for. The first request to a node asks for any slot, and prefers the one that
 * nodes before it have granted. A client that gets different slots from different nodes, and has the first node,
 * asks the others again for the slot of that.
 */
const acquiringSlot = (limit: number): Operation => ({
  ...acquiring,
  make: (about, terms, view, plan, nodes) => {
    const isOnly = nodes.some((index) => view.seats[index]!.asks)
    const slot = wantedSlot(view, plan) ?? firstSlot(about.value, limit)
    return withLua(slotLua, { op: 'acquire-slot', ...about, ...terms, slot, isOnly })
  },
})

/** The steps of an acquisition for one of the slots: those of a lock on the slot that the client wants. */
const slotRule =
  (limit: number): Rule<CallOutcome> =>
  (view, plan, pace, now) => {
    const { answers, seats } = view
    const slot = wantedSlot(view, plan)
    // Nodes that have granted another slot, and are to be asked for this one.
    const ask = plan.order.filter((index) => {
      const { command } = seats[index]!
      const isAsked = command?.op === 'acquire-slot' && command.isOnly && command.slot === slot
      return (answers[index]?.slot ?? slot) !== slot && !isAsked
    })
    if (grantsOf(answers, slot) >= plan.quorum) {
      if (ask.length) return { ask }
    } else if (areAllTaken(answers, limit, plan.quorum)) return { settle: 'held' }
    const mapped = answersFor(answers, slot, plan.ttl)
    const step = acquireRule({ ...view, answers: mapped }, plan, pace, now)
    // Without a rival for this slot there is nobody to wait for.
    if (!('settle' in step) || !ask.length || !isAffordable(view.budget, ask.length)) return step
    return freeOf(answers, limit, plan.quorum).includes(slot!) ? { ask } : step
  }

/** The lease on one of the slots of a lease on all. */
const leaseOn = (lease: Lease, slot: number): Lease => {
  const { client, namespace, keys, metadata, waitUntil, budget } = lease.subject
  const own = [keys[slot - 1]!]
  return { ...lease, subject: subjectOf(client, namespace, own, metadata, waitUntil, budget) }
}

// Why there are never more than `limit` holders: a client holds a slot only if a majority has granted that slot
// to one attempt; grants of different slots are never added up. A node gives up a slot when its TTL ends, when its
// holder releases it, or when the same owner asks for `only` another slot. A client asks for `any` slot first, then
// always for the same one, and from then on counts no grant of another, however late. So the last case never takes
// away a slot that a client counts on.

/**
 * The acquisition for one of `limit` slots. Each slot is a lock, so it has one holder at most. One request asks a
 * node for any slot.
 */
export const slotAcquisition = (
  namespace: Namespace,
  limit: number,
): Acquisition<WindowResult> => ({
  namespace,
  slots: limit,
  keysToAsk: ([key]) => slotNumbers(limit).map((slot) => slotKey(key!, slot)),
  next: slotRule(limit),
  operation: acquiringSlot(limit),
  reports: answered,
  resultOf: (ballot) => {
    const { answers, elapsed, lease, plan } = ballot
    const slot = wantedSlot(ballot, plan)!
    const own = answersFor(answers, slot, plan.ttl)
    const free = freeOf(answers, limit, plan.quorum).filter((one) => one !== slot)
    const lock = createLock({ lease: leaseOn(lease, slot), elapsed, answers: own })
    return { ok: true, lock, remaining: free.length }
  },
})
