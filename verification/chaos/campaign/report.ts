import Table from 'cli-table3'
import type { Verdict } from '../checker/verdict.ts'
import { tally } from '../checker/violation.ts'

// The verdict as text and as a table.

const english = new Intl.NumberFormat('en')
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
const ms = (value: number): string => `${value.toFixed(0)} ms`

/** Describes how faults were injected, and which faults were omitted. Every result includes this. */
const describeCapabilities = ({ network, clocks }: Verdict): string =>
  [
    network === 'packets'
      ? 'Loss, partitions and held replies: packets dropped by the kernel, in a network namespace.'
      : 'Loss, partitions and held replies: by a TCP proxy.',
    'Resets and delays: by a TCP proxy.',
    clocks ? 'Clocks of servers: stepped by libfaketime.' : 'Clocks of servers: not stepped.',
    'Not among the faults: power cuts (a kill -9 leaves what the kernel has) and clocks of clients, which npm run verify -- simulate covers.',
  ].join(' ')

const describeCounts = ({
  counts,
  clockJumps,
  orphans,
  lifetimes,
  killedWhileHolding,
}: Verdict): string[] => [
  `Counters: ${english.format(counts.written)} writes acknowledged, and ${counts.unacknowledged} more of clients that were killed; ${counts.refused} rejected by the guard; ${counts.skipped} not attempted because the lock had ended.`,
  `Without a guard: ${counts.late} writes were under way when their lock ended, for which nothing is guaranteed; they lost ${counts.excused} updates.`,
  `Clocks that jumped ahead, when exclusion is not guaranteed: ${clockJumps.times}; they led to ${clockJumps.holders} pairs of holders and ${clockJumps.updates} lost updates without a guard.`,
  `Processes killed while one of their clients held a lock: ${killedWhileHolding}, with ${orphans.held} locks; others acquired ${orphans.freed} of these, within at most ${ms(orphans.longest)}${orphans.undecided > 0 ? ` (undecided: ${orphans.undecided})` : ''}.`,
  `Remaining lifetimes of locks, as servers reported them ${english.format(lifetimes.looks)} times: at most ${ms(lifetimes.longest)}.`,
]

const describeAvailability = ({ availability, recoveries }: Verdict): string[] => {
  const { baseline, minority, leftOut } = availability
  const times = recoveries.map(({ ms: time }) => (time === null ? 'unknown' : ms(time)))
  const within = recoveries.reduce((sum, { locks }) => sum + locks, 0)
  return [
    `Acquires without faults: ${english.format(baseline.acquires)}, p50 ${ms(baseline.p50)}, p99 ${ms(baseline.p99)}.`,
    `Acquires while a minority was down: ${english.format(minority.acquires)}, p50 ${ms(minority.p50)}, p99 ${ms(minority.p99)}; ${english.format(minority.served)} succeeded, ${percent(minority.share)} within 2x the p99 without faults. (Not counted: ${english.format(leftOut)} right after faults, around outages, or of a process that was itself hit or new.)`,
    recoveries.length > 0
      ? `Outages of a majority: ${recoveries.length}, with ${within} locks acquired during them; the first lock afterwards came within ${times.join(', ')}.`
      : 'Outages of a majority: none.',
  ]
}

const describeBursts = ({ bursts, lostLocks }: Verdict): string[] => [
  `Bursts of two or more clients on one key: ${english.format(bursts.bursts)}. Of ${english.format(bursts.judged)} in which a majority of nodes answered and no client was hit, ${english.format(bursts.withoutWinner)} had no winner. (The others are not judged.)`,
  `Winners kept ${english.format(lostLocks.kept)} locks alive by ${english.format(lostLocks.extensions)} extensions, and lost ${lostLocks.lost.withoutQuorum} because too few nodes had the lock and were well, ${lostLocks.lost.clientHit} because their process was paused, ${lostLocks.lost.machineBusy} because the machine was busy, and ${lostLocks.lost.needless} for no such reason.`,
]

const describeSlots = ({ slots = [] }: Verdict): string[] =>
  slots.map(
    ({ limit, locks, maxHolders, excused }) =>
      `Locks with a limit of ${limit}: ${english.format(locks)}, at most ${maxHolders} at the same time${excused > 0 ? ` (besides ${excused} that a clock jump explains)` : ''}.`,
  )

/** The number of faults of each kind. */
export const faultTable = ({ faults }: Verdict): string => {
  const table = new Table({ head: ['fault', 'times'], style: { compact: true } })
  table.push(...Object.entries(faults))
  return table.toString()
}

const faultsOf = ({ faults }: Verdict): number =>
  Object.values(faults).reduce((sum, times) => sum + times, 0)

/** The verdict as lines of text. */
export const describe = (verdict: Verdict): string[] => {
  const { failures, violations, broken, timerLag } = verdict
  const failed = Object.entries(failures).map(([name, times]) => `${english.format(times)} ${name}`)
  const found = Object.entries(tally(violations.map((one) => one.check)))
  const shown = violations.slice(0, 10)
  return [
    describeCapabilities(verdict),
    `Timer lag of the main process, which shows how busy the machine was: at most ${ms(timerLag)}.`,
    `${verdict.clients} clients; ${english.format(verdict.locks)} locks; failed operations: ${failed.join(', ') || 'none'}.`,
    ...describeCounts(verdict),
    ...describeAvailability(verdict),
    ...describeBursts(verdict),
    ...describeSlots(verdict),
    ...shown.map(({ check, text }) => `VIOLATION, ${check}: ${text}`),
    ...(violations.length > shown.length
      ? [
          `All violations: ${found.map(([check, times]) => `${english.format(times)} ${check}`).join(', ')}.`,
        ]
      : []),
    ...(broken === null ? [] : [`The clients ran sources that are broken on purpose: ${broken}.`]),
    `The same ${faultsOf(verdict)} faults again: ${replay(verdict)}`,
  ]
}

/** The command that runs the same faults again. */
export const replay = ({ minutes, seed, broken, network, clocks }: Verdict): string =>
  [
    `npm run verify -- chaos --minutes ${minutes} --seed ${seed}`,
    ...(broken === null ? [] : [`--broken ${broken}`]),
    ...(network === 'proxy' ? ['--proxy'] : []),
    ...(clocks ? [] : ['--no-clocks']),
  ].join(' ')

/** The result in one line. */
export const figure = (verdict: Verdict): string => {
  const { violations, operations, availability, bursts, lostLocks } = verdict
  const { acquires, share } = availability.minority
  const served = acquires > 0 ? percent(share) : 'unknown how many'
  return `Chaos: ${english.format(violations.length)} violations in ${english.format(operations)} operations under ${faultsOf(verdict)} faults; ${served} of acquires within 2x p99 while a minority was down; ${bursts.withoutWinner} of ${english.format(bursts.judged)} bursts without a winner; ${lostLocks.lost.needless} of ${english.format(lostLocks.kept)} kept locks lost while a quorum had them.`
}
