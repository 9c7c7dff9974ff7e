import type { HistoryEvent } from '../history.ts'
import { type Availability, measureAvailability } from './availability.ts'
import { checkCounters, type Counts } from './counters.ts'
import { checkHolds } from './holds.ts'
import { type Leaps, leapsOf } from './leaps.ts'
import { type History, readHistory } from './model.ts'
import { checkOrphans, type Orphans } from './orphans.ts'
import { measureRecovery, type Recovery } from './recovery.ts'
import { timelineOf } from './timeline.ts'
import { checkTokens } from './tokens.ts'
import { groupBy, type Violation } from './violation.ts'
import { spellsOf } from './weather.ts'

/** What a history says of the promises. */
export type Verdict = {
  readonly seed: number
  readonly minutes: number
  readonly broken: string | null
  readonly network: 'packets' | 'proxy'
  readonly seconds: number
  readonly events: number
  readonly operations: number
  readonly clients: number
  readonly locks: number
  readonly faults: Readonly<Record<string, number>>
  readonly killedWhileHolding: number
  readonly counts: Counts
  readonly leaps: Leaps
  readonly availability: Availability
  readonly recoveries: readonly Recovery[]
  readonly orphans: Orphans
  readonly failures: Readonly<Record<string, number>>
  readonly violations: readonly Violation[]
  readonly timeline: ReturnType<typeof timelineOf>
}

/** A history that could not show a violation proves nothing. */
const checkContent = (history: History, { written }: Counts): Violation[] => {
  const told = (text: string): Violation[] => [{ check: 'nothing to check', text, operations: [] }]
  const fenced = history.stores.filter(({ kind, entries }) => kind === 'guarded' && entries.length)
  const plain = history.stores.filter(({ kind, entries }) => kind === 'plain' && entries.length)
  if (written === 0) return told('no counter was written')
  if (fenced.length === 0) return told('nothing was written through a guard')
  if (plain.length === 0) return told('nothing was written without a guard')
  return []
}

const checkEnd = ({ unfinished }: History): Violation[] =>
  unfinished.map((process) => ({
    check: 'no end',
    text: `What clients of ${process} were doing did not end`,
    operations: [],
  }))

const tally = (words: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    [...groupBy(words, (word) => word)]
      .map(([word, all]) => [word, all.length] as const)
      .sort(([, a], [, b]) => b - a),
  )

/** Checks a history. @throws when it is not that of a whole campaign. */
export const check = (events: readonly HistoryEvent[]): Verdict => {
  const history = readHistory(events)
  const { run, begin, end, operations, processes } = history
  const nodes = run.nodes.length
  const spells = spellsOf(history)
  const leaps: Leaps = { times: leapsOf(history).length, holders: 0, updates: 0 }
  const { counts, violations: lost } = checkCounters(history, leaps)
  const { recoveries, violations: stuck } = measureRecovery(history, spells, nodes)
  const { orphans, violations: outlived } = checkOrphans(history, spells, nodes)
  return {
    seed: run.seed,
    minutes: run.minutes,
    broken: run.broken,
    network: run.network,
    seconds: (end - begin) / 1e9,
    events: history.events,
    operations: operations.length,
    clients: new Set(operations.map(({ client }) => client.replace(/\.\d+\//, '/'))).size,
    locks: operations.filter(({ acquiredAt }) => acquiredAt !== undefined).length,
    faults: tally(history.faults.map(({ fault }) => fault.kind)),
    killedWhileHolding: [...processes.values()].filter(({ wasHolding }) => wasHolding).length,
    counts,
    leaps,
    availability: measureAvailability(history, spells, nodes),
    recoveries,
    orphans,
    failures: tally(operations.flatMap(({ reason }) => reason?.split(':')[0] ?? [])),
    violations: [
      ...checkHolds(history, leaps),
      ...lost,
      ...checkTokens(history),
      ...outlived,
      ...stuck,
      ...checkEnd(history),
      ...checkContent(history, counts),
    ],
    timeline: timelineOf(history),
  }
}
