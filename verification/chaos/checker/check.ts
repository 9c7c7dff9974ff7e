import type { HistoryEvent, RunEvent } from '../campaign/history.ts'
import { type Availability, measureAvailability } from './availability.ts'
import { leapsOf } from './clock-jumps.ts'
import { checkCounters, type Counts } from './counters.ts'
import { checkLifetimes, type Lifetimes } from './lifetimes.ts'
import { type History, readHistory } from './model.ts'
import { checkHolds } from './mutual-exclusion.ts'
import { checkOrphans, type Orphans } from './orphans.ts'
import { measureRecovery, type Recovery } from './recovery.ts'
import { timelineOf } from './timeline.ts'
import { checkTokens } from './tokens.ts'
import { tally, type Violation } from './violation.ts'
import { spellsOf } from './weather.ts'

/** What a history says of the promises. */
export type Verdict = {
  readonly seed: number
  readonly minutes: number
  readonly broken: string | null
  readonly network: RunEvent['network']
  readonly clocks: boolean
  readonly seconds: number
  readonly events: number
  readonly operations: number
  readonly clients: number
  readonly locks: number
  readonly faults: Readonly<Record<string, number>>
  readonly killedWhileHolding: number
  readonly counts: Counts
  /** Clocks that leapt ahead, and what is excused by that: holders at a time, and updates lost. */
  readonly leaps: { readonly times: number; readonly holders: number; readonly updates: number }
  readonly availability: Availability
  readonly recoveries: readonly Recovery[]
  readonly orphans: Orphans
  readonly lifetimes: Lifetimes
  readonly failures: Readonly<Record<string, number>>
  readonly violations: readonly Violation[]
  readonly timeline: ReturnType<typeof timelineOf>
}

/** A history that could not show a violation proves nothing. */
const checkContent = (history: History, { written }: Counts, { looks }: Lifetimes): Violation[] => {
  const told = (text: string): Violation[] => [{ check: 'nothing to check', text, operations: [] }]
  const fenced = history.stores.filter(({ kind, entries }) => kind === 'guarded' && entries.length)
  const plain = history.stores.filter(({ kind, entries }) => kind === 'plain' && entries.length)
  if (written === 0) return told('no counter was written')
  if (fenced.length === 0) return told('nothing was written through a guard')
  if (plain.length === 0) return told('nothing was written without a guard')
  if (looks === 0) return told('no server was asked how long locks live')
  return []
}

// Of acquires while a minority of nodes is affected at least so many are served, if there are enough of
// them to tell.
const leastServed = 0.95
const enough = 50

const checkAvailability = ({ minority: { acquires, served } }: Availability): Violation[] =>
  acquires < enough || served >= leastServed * acquires
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
    text: `What clients of ${process} were doing did not end`,
    operations: [],
  }))

/** Checks a history. @throws when it is not that of a whole campaign. */
export const check = (events: readonly HistoryEvent[]): Verdict => {
  const history = readHistory(events)
  const { run, begin, end, operations, processes } = history
  const nodes = run.nodes.length
  const spells = spellsOf(history)
  const { excused, violations: shared } = checkHolds(history)
  const { counts, violations: lost } = checkCounters(history)
  const { recoveries, violations: stuck } = measureRecovery(history, spells, nodes)
  const availability = measureAvailability(history, spells, nodes)
  const { lifetimes, violations: long } = checkLifetimes(history)
  const { orphans, violations: outlived } = checkOrphans(history, spells, nodes)
  return {
    seed: run.seed,
    minutes: run.minutes,
    broken: run.broken,
    network: run.network,
    clocks: run.clocks,
    seconds: (end - begin) / 1e9,
    events: history.events,
    operations: operations.length,
    clients: new Set(operations.map(({ client }) => client.replace(/\.\d+\//, '/'))).size,
    locks: operations.filter(({ acquiredAt }) => acquiredAt !== undefined).length,
    faults: tally(history.faults.map(({ fault }) => fault.kind)),
    killedWhileHolding: [...processes.values()].filter(({ wasHolding }) => wasHolding).length,
    counts,
    leaps: { times: leapsOf(history).length, holders: excused, updates: counts.leapt },
    availability,
    recoveries,
    orphans,
    lifetimes,
    failures: tally(operations.flatMap(({ reason }) => reason?.split(':')[0] ?? [])),
    violations: [
      ...shared,
      ...lost,
      ...checkTokens(history),
      ...outlived,
      ...long,
      ...stuck,
      ...checkAvailability(availability),
      ...checkEnd(history),
      ...checkContent(history, counts, lifetimes),
    ],
    timeline: timelineOf(history),
  }
}
