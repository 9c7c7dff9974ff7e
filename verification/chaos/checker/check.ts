import type { HistoryEvent } from '../campaign/events.ts'
import { periodsOf } from './affected-nodes.ts'
import { type Availability, measureAvailability } from './availability.ts'
import { type Bursts, checkBursts } from './no-winner.ts'
import { clockJumpsOf } from './clock-jumps.ts'
import { checkCounters } from './counters.ts'
import { checkGuard } from './guard.ts'
import { checkGuarantees, type SlotCounts } from './guarantees.ts'
import { checkLifetimes, type Lifetimes } from './lifetimes.ts'
import { checkLostLocks, type LostLocks } from './lost-locks.ts'
import type { History } from './model.ts'
import { checkOrphans } from './orphans.ts'
import { readHistory } from './read-history.ts'
import { measureRecovery } from './recovery.ts'
import type { Verdict } from './verdict.ts'
import { tally, type Violation } from './violation.ts'
import type { Counts } from './writes.ts'

// The fraction of acquires that must succeed while a minority of nodes is affected, and the minimum number of acquires
// for this check.
const minServed = 0.95
const minAcquires = 50

/** Checks that a history contains operations of each kind. Otherwise, the absence of violations proves nothing. */
const checkContent = (
  history: History,
  { written }: Counts,
  { looks }: Lifetimes,
  { bursts }: Bursts,
  { kept }: LostLocks,
  slots: readonly SlotCounts[],
): Violation[] => {
  const violation = (text: string): Violation[] => [
    { check: 'nothing to check', text, operations: [] },
  ]
  const filled = history.stores.filter(({ entries }) => entries.length > 0)
  if (written === 0) return violation('no counter was written')
  if (filled.every(({ kind }) => kind !== 'guarded')) {
    return violation('nothing was written through a guard')
  }
  if (filled.every(({ kind }) => kind !== 'plain')) {
    return violation('nothing was written without a guard')
  }
  if (bursts === 0) return violation('no clients asked for one key at the same moment')
  if (kept === 0) return violation('no lock was kept alive')
  const spare = slots.find(({ maxHolders, limit }) => maxHolders < limit)
  if (spare) return violation(`the slots of ${spare.name} were never all taken`)
  if (looks === 0) return violation('no server was asked how long locks live')
  return []
}

const checkAvailability = ({ minority: { acquires, served } }: Availability): Violation[] =>
  acquires < minAcquires || served >= minServed * acquires
    ? []
    : [
        {
          check: 'not available',
          text: `${served} of ${acquires} acquires were served while a minority of nodes was affected`,
          operations: [],
        },
      ]

const checkEnd = ({ unfinished }: History): Violation[] =>
  unfinished.map((process) => ({
    check: 'no end',
    text: `Clients of ${process} did not finish their operations`,
    operations: [],
  }))

/** Checks a history. @throws if its campaign is incomplete. */
export const check = (events: readonly HistoryEvent[]): Verdict => {
  const history = readHistory(events)
  const { run, begin, end, operations, processes } = history
  const nodes = run.nodes.length
  const periods = periodsOf(history)
  const { excused, slots, violations: broken } = checkGuarantees(history)
  const { counts, violations: writes } = checkCounters(history)
  const { recoveries, violations: outages } = measureRecovery(history, periods, nodes)
  const availability = measureAvailability(history, periods, nodes)
  const { lifetimes, violations: longKeys } = checkLifetimes(history)
  const { bursts, violations: withoutWinner } = checkBursts(history, availability.baseline.p50)
  const { lostLocks, violations: lost } = checkLostLocks(history, availability.baseline.p99)
  const { orphans, violations: longLocks } = checkOrphans(history, periods, nodes)
  return {
    seed: run.seed,
    minutes: run.minutes,
    broken: run.broken,
    network: run.network,
    clocks: run.clocks,
    seconds: (end - begin) / 1000,
    events: history.events,
    operations: operations.length,
    // Ignore the generation, so that a client of a restarted process counts once.
    clients: new Set(operations.map(({ op }) => op.split('#')[0]!.replace(/\.\d+\//, '/'))).size,
    locks: operations.filter(({ acquiredAt }) => acquiredAt !== undefined).length,
    faults: tally(history.faults.map(({ fault }) => fault.kind)),
    timerLag: Math.max(0, ...history.timerLags.map(({ late }) => late)),
    killedWhileHolding: [...processes.values()].filter(({ wasHolding }) => wasHolding).length,
    counts,
    clockJumps: {
      times: clockJumpsOf(history).length,
      holders: excused,
      updates: counts.lostByJump,
    },
    availability,
    bursts,
    slots,
    lostLocks,
    recoveries,
    orphans,
    lifetimes,
    failures: tally(
      operations.flatMap(({ kind, answer, outcome, reason }) => {
        if (outcome === 'failed') return reason!.split(':')[0]!
        return outcome === 'refused' && kind !== 'burst' ? answer! : []
      }),
    ),
    violations: [
      ...broken,
      ...writes,
      ...checkGuard(history),
      ...longLocks,
      ...longKeys,
      ...lost,
      ...withoutWinner,
      ...outages,
      ...checkAvailability(availability),
      ...checkEnd(history),
      ...checkContent(history, counts, lifetimes, bursts, lostLocks, slots),
    ],
  }
}
