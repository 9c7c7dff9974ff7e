import type { Fault } from '../nemesis/fault.ts'
import { type Period, periodsWith } from './affected-nodes.ts'
import { groupBy } from '../../history/group-by.ts'
import type { Operation } from '../../history/operation.ts'
import type { History } from './model.ts'
import { moment, type Violation } from './violation.ts'

// Checks that orphans expire at the end of their TTL. An orphan is a lock whose holder was killed.

export type Orphans = {
  /** The number of orphans. */
  readonly held: number
  /** The number of orphans that another client acquired, and the longest time until then, in ms. */
  readonly freed: number
  readonly longest: number
  /** The number of orphans that no client tried to acquire for long enough, or without a result. */
  readonly undecided: number
}

// How long other clients can take beyond the TTL, in ms. They retry within half a second, and one of them acquires the
// lock after a few retries.
const contention = 2500
// The time within which a gateway with the fault `gateway runs requests twice` repeats requests, in ms.
const repeat = 3000
// The initial retransmission timeout of TCP, in ms: RFC 6298.
const retransmission = 1000

type Span = { readonly from: number; readonly until: number }

/** How long after its end a fault still affects requests that were sent during the fault, in ms. */
const afterEffectOf = ({ run }: History, { kind, abstains }: Fault, length: number): number => {
  if (kind === 'gateway runs requests twice') return repeat
  // A key that was granted while the clock was ahead lives longer by the size of the jump.
  if (kind === 'clock jumps') return abstains
  // TCP doubles its retransmission timeout each time, so the last wait is about as long as all previous waits together.
  const isDropped = run.network === 'packets' && /loss|partition|replies/.test(kind)
  return isDropped ? length + retransmission : 0
}

/** When a key must be free again after a kill, including delays due to late requests and outages. */
const deadlineOf = (history: History, killedAt: number, outages: readonly Span[]): number => {
  const { ttl, driftFactor } = history.run
  const lifetime = ttl * (1 + driftFactor)
  const lateRequests = history.faults.flatMap(({ fault, from, until }) => {
    if (fault.nodes.length === 0) return []
    const end = until - fault.abstains + afterEffectOf(history, fault, until - from)
    return from <= killedAt && end >= killedAt ? [end] : []
  })
  let deadline = Math.max(killedAt, ...lateRequests) + lifetime + contention
  for (const { from, until } of outages) {
    if (until > killedAt && from < deadline) {
      deadline = Math.max(deadline, until + lifetime + contention)
    }
  }
  return deadline
}

/** Whether the process was killed while the operation held a lock for which others compete. */
const isOrphan = (
  { processes }: History,
  { kind, process, acquiredAt, releasedAt, validUntil }: Operation,
): boolean => {
  const { killedAt } = processes.get(process)!
  if (kind === 'private' || kind === 'burst' || kind === 'slots') return false
  if (acquiredAt === undefined || releasedAt !== undefined) return false
  return killedAt !== undefined && validUntil! > killedAt
}

export const checkOrphans = (
  history: History,
  periods: readonly Period[],
  nodes: number,
): { orphans: Orphans; violations: Violation[] } => {
  const { operations, processes, begin } = history
  const outages = periodsWith(periods, (affected) => affected > (nodes - 1) >> 1)
  const byKey = groupBy(operations, ({ keys }) => keys[0]!)
  const violations: Violation[] = []
  const orphans = { held: 0, freed: 0, longest: 0, undecided: 0 }
  for (const orphan of operations.filter((one) => isOrphan(history, one))) {
    const killedAt = processes.get(orphan.process)!.killedAt!
    const deadline = deadlineOf(history, killedAt, outages)
    const others = byKey.get(orphan.keys[0]!)!.filter(({ process }) => process !== orphan.process)
    const next = Math.min(
      ...others.flatMap(({ acquiredAt = 0 }) => (acquiredAt > killedAt ? acquiredAt : [])),
    )
    orphans.held++
    if (next <= deadline) {
      orphans.freed++
      orphans.longest = Math.max(orphans.longest, next - killedAt)
      continue
    }
    // A violation requires a client that was rejected after the deadline because the key was locked. A client without
    // replies proves nothing.
    const refused = others.find(
      ({ answer, lastAt }) => answer === 'locked' && lastAt >= deadline && lastAt < next,
    )
    if (!refused) {
      orphans.undecided++
      continue
    }
    violations.push({
      check: 'a lock that outlives its ttl',
      text: `${orphan.keys[0]} was held by ${orphan.op} when it was killed at ${moment(begin, killedAt)}, and still locked for ${refused.op} at ${moment(begin, refused.lastAt)}`,
      operations: [orphan.op, refused.op],
    })
  }
  return { orphans, violations }
}
