import type { Fault } from '../nemesis/fault.ts'
import type { History, Operation } from './model.ts'
import { groupBy, moment, type Violation } from './violation.ts'
import { type Spell, spellsWith } from './weather.ts'

// A lock whose holder was killed comes free by itself, when its ttl is over.

export type Orphans = {
  /** Locks that were held by processes when these were killed. */
  readonly held: number
  /** Those that others have taken since, and after how many ms at most. */
  readonly freed: number
  readonly longest: number
  /** Those that nobody wanted long enough, or got no answer about. */
  readonly undecided: number
}

// What contenders may need beyond the ttl, in ns: they come back within half a second, and one of
// several gets it after a few tries.
const margin = 2.5e9
// A gateway that runs requests twice does so within this time, in ns.
const echo = 3e9
// What TCP waits before it sends again at first, and before it connects again, at most: RFC 6298.
const retransmission = 1e9

/** For how long a fault that is over has effects on what was asked or granted while it lasted: ns. */
const afterwards = ({ run }: History, { kind, abstains }: Fault, length: number): number => {
  if (kind === 'gateway runs requests twice') return echo
  // Keys that were granted by a clock that was ahead.
  if (kind === 'clock leaps') return abstains * 1e6
  // TCP doubles what it waits before it sends again: at most as long again as it has waited already.
  const isDropped = run.network === 'packets' && /loss|partition|replies/.test(kind)
  return isDropped ? length + retransmission : 0
}

/** By when a key must be free again, whose holder was killed: late requests and outages count. */
const deadlineOf = (history: History, killedAt: number, outages: readonly Range[]): number => {
  const { ttl, driftFactor } = history.run
  const life = ttl * (1 + driftFactor) * 1e6
  const late = history.faults.flatMap(({ fault, from, until }) => {
    if (fault.nodes.length === 0) return []
    const over = until - fault.abstains * 1e6 + afterwards(history, fault, until - from)
    return from <= killedAt && over >= killedAt ? [over] : []
  })
  let deadline = Math.max(killedAt, ...late) + life + margin
  for (const { from, until } of outages) {
    if (until > killedAt && from < deadline) deadline = Math.max(deadline, until + life + margin)
  }
  return deadline
}

type Range = { readonly from: number; readonly until: number }

export const checkOrphans = (
  history: History,
  spells: readonly Spell[],
  nodes: number,
): { orphans: Orphans; violations: Violation[] } => {
  const { operations, processes, begin } = history
  const outages = spellsWith(spells, (affected) => affected > (nodes - 1) >> 1)
  const byKey = groupBy(operations, ({ key }) => key)
  const violations: Violation[] = []
  const orphans = { held: 0, freed: 0, longest: 0, undecided: 0 }
  const isOrphan = ({ kind, process, acquiredAt, releasedAt, validUntil }: Operation): boolean => {
    const { killedAt } = processes.get(process)!
    if (kind === 'private' || acquiredAt === undefined || releasedAt !== undefined) return false
    return killedAt !== undefined && validUntil! > killedAt
  }
  for (const orphan of operations.filter(isOrphan)) {
    const killedAt = processes.get(orphan.process)!.killedAt!
    const deadline = deadlineOf(history, killedAt, outages)
    const others = byKey.get(orphan.key)!.filter(({ process }) => process !== orphan.process)
    const next = Math.min(
      ...others.flatMap(({ acquiredAt = 0 }) => (acquiredAt > killedAt ? acquiredAt : [])),
    )
    orphans.held++
    if (next <= deadline) {
      orphans.freed++
      orphans.longest = Math.max(orphans.longest, (next - killedAt) / 1e6)
      continue
    }
    // Somebody must have tried, until after it was due, and been told that it is locked: who gets no
    // answer, since the machine is too slow for that, has seen no lock.
    const refused = others.find(
      ({ lastAt, reason }) =>
        reason?.startsWith('LockedError') && lastAt >= deadline && lastAt < next,
    )
    if (!refused) {
      orphans.undecided++
      continue
    }
    violations.push({
      check: 'a lock that outlives its ttl',
      text: `${orphan.key} was held by ${orphan.op} when it was killed at ${moment(begin, killedAt)}, and locked for ${refused.op} still at ${moment(begin, refused.lastAt)}`,
      operations: [orphan.op, refused.op],
    })
  }
  return { orphans, violations }
}
