import Table from 'cli-table3'
import type { Verdict } from '../checker/check.ts'
import { tally } from '../checker/violation.ts'

// What the checker found, in words and tables.

const english = new Intl.NumberFormat('en')
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
const ms = (value: number): string => `${value.toFixed(0)} ms`

/** How faults were done, and what was not among them: said with every result. */
const describeMeans = ({ network, clocks }: Verdict): string =>
  [
    network === 'packets'
      ? 'Loss, partitions and replies held: packets dropped by the kernel, in a network namespace.'
      : 'Loss, partitions and replies held: by a TCP proxy.',
    'Resets and delays: by a TCP proxy.',
    clocks ? 'Clocks of servers: stepped by libfaketime.' : 'No clock was stepped.',
    'Not among the faults: power cuts (kill -9 leaves what the kernel has), and clocks of clients; npm run simulate has those.',
  ].join(' ')

const describeCounts = ({
  counts,
  leaps,
  orphans,
  lifetimes,
  killedWhileHolding,
}: Verdict): string[] => [
  `Counters: ${english.format(counts.written)} writes acknowledged, ${counts.unacknowledged} more by writers that were killed; ${counts.refused} refused by the guard, ${counts.skipped} not tried since the lock was over.`,
  `Without a guard: ${counts.late} writes were under way when their lock ended, of which nothing is promised; they cost ${counts.excused} updates.`,
  `Clocks that leapt ahead, when exclusion is not promised: ${leaps.times} times; so ${leaps.holders} times two held a lock, and ${leaps.updates} updates without a guard were lost.`,
  `Killed while one of its clients held a lock: ${killedWhileHolding} processes, ${orphans.held} locks; ${orphans.freed} were had by others within ${ms(orphans.longest)} at most${orphans.undecided > 0 ? `, of ${orphans.undecided} nobody could tell` : ''}. Asked ${english.format(lifetimes.looks)} times how long locks live yet, servers said ${ms(lifetimes.longest)} at most.`,
]

const describeAvailability = ({ availability, recoveries }: Verdict): string[] => {
  const { baseline, minority, leftOut: skipped } = availability
  const times = recoveries.map(({ ms: time }) => (time === null ? 'not known' : ms(time)))
  const within = recoveries.reduce((sum, { locks }) => sum + locks, 0)
  return [
    `Acquires while nothing was wrong: ${english.format(baseline.acquires)}, p50 ${ms(baseline.p50)}, p99 ${ms(baseline.p99)}.`,
    `While a minority was down: ${english.format(minority.acquires)}, p50 ${ms(minority.p50)}, p99 ${ms(minority.p99)}; ${english.format(minority.served)} served, ${percent(minority.share)} within 2x the usual p99. (${english.format(skipped)} not counted: right after faults, around outages, or of a process that was itself hit, or new.)`,
    recoveries.length > 0
      ? `Outages of a majority: ${recoveries.length}, with ${within} locks in them; the first lock after them came in ${times.join(', ')}.`
      : 'Outages of a majority: none.',
  ]
}

/** How many faults of which kind. */
export const faultTable = ({ faults }: Verdict): string => {
  const table = new Table({ head: ['fault', 'times'], style: { compact: true } })
  table.push(...Object.entries(faults))
  return table.toString()
}

/** The result as lines of text. */
export const describe = (verdict: Verdict): string[] => {
  const { failures, violations, broken, timeline } = verdict
  const failed = Object.entries(failures).map(([name, times]) => `${english.format(times)} ${name}`)
  const late = Math.max(0, ...timeline.seconds.map(({ late }) => late))
  const found = Object.entries(tally(violations.map((one) => one.check)))
  const shown = violations.slice(0, 10)
  return [
    describeMeans(verdict),
    `Timers of the main process were late by up to ${ms(late)}: so busy was the machine.`,
    `${verdict.clients} clients; ${english.format(verdict.locks)} locks; operations that failed: ${failed.join(', ') || 'none'}.`,
    ...describeCounts(verdict),
    ...describeAvailability(verdict),
    ...shown.map(({ check, text }) => `VIOLATION, ${check}: ${text}`),
    ...(violations.length > shown.length
      ? [
          `In all: ${found.map(([check, times]) => `${english.format(times)} ${check}`).join(', ')}.`,
        ]
      : []),
    ...(broken === null ? [] : [`The clients ran broken sources on purpose: ${broken}.`]),
    `Faults again: ${replay(verdict)} (${timeline.faults.length} faults)`,
  ]
}

/** The command that gives the same faults again. */
export const replay = ({ minutes, seed, broken, network, clocks }: Verdict): string =>
  [
    `npm run chaos -- --minutes ${minutes} --seed ${seed}`,
    ...(broken === null ? [] : [`--broken ${broken}`]),
    ...(network === 'proxy' ? ['--proxy'] : []),
    ...(clocks ? [] : ['--no-clocks']),
  ].join(' ')

/** The last line: the figure. */
export const figure = (verdict: Verdict): string => {
  const { violations, operations, timeline, availability } = verdict
  const { acquires, share } = availability.minority
  const served = acquires > 0 ? percent(share) : 'unknown how many'
  return `Chaos: ${english.format(violations.length)} violations in ${english.format(operations)} operations under ${timeline.faults.length} faults; ${served} of acquires within 2x p99 while a minority was down.`
}
