import { quantile } from 'simple-statistics'
import { affectedIn, wasBusy, wasHit, type Window } from './disturbances.ts'
import type { History, Operation } from './model.ts'
import { groupBy, moment, type Violation } from './violation.ts'

// When several clients ask for one key at the same moment, one of them gets it, as long as a majority
// of nodes answers. (That no two of them hold it at once is a check of its own.)

/** How long it took until some client had the lock, in ms. */
export type WinnerTimes = {
  readonly bursts: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export type Bursts = {
  /** All bursts of two or more clients, and those that must have had a winner. */
  readonly bursts: number
  readonly judged: number
  /** Of the latter, those without a winner: violations. */
  readonly withoutWinner: number
  /** Without any fault; while a node hung or was cut off; and with a minority affected otherwise. */
  readonly calm: WinnerTimes
  readonly hanging: WinnerTimes
  readonly otherwise: WinnerTimes
}

type Burst = {
  readonly key: string
  readonly contenders: readonly Operation[]
  /** The time of the first lock. */
  readonly wonAt: number | undefined
  /** From the first call to the last answer. */
  readonly window: Window
}

const hanging: ReadonlySet<string> = new Set([
  'redis paused',
  'gateway paused',
  'partition',
  'replies held',
])
// A process is slower than usual for so long after its start, and slows down the machine, in ns.
const startUp = 3e9

const answeredAt = ({ acquiredAt, lastAt }: Operation): number => acquiredAt ?? lastAt

const burstOf = (key: string, contenders: readonly Operation[]): Burst => {
  const wins = contenders.flatMap(({ acquiredAt }) => acquiredAt ?? [])
  return {
    key,
    contenders,
    wonAt: wins.length > 0 ? Math.min(...wins) : undefined,
    window: {
      from: Math.min(...contenders.map(({ invokedAt }) => invokedAt)),
      until: Math.max(...contenders.map(answeredAt)),
      processes: [...new Set(contenders.map(({ process }) => process))],
    },
  }
}

const timesOf = (bursts: readonly Burst[]): WinnerTimes => {
  const times = bursts.flatMap(({ wonAt, window }) =>
    wonAt === undefined ? [] : (wonAt - window.from) / 1e6,
  )
  const at = (share: number): number => (times.length > 0 ? quantile(times, share) : NaN)
  return { bursts: times.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}

/** Whether a node hung from the first call until some client had the lock. */
const hasHangingNode = ({ faults }: History, { window, wonAt }: Burst): boolean =>
  faults.some(({ fault, from, until }) => {
    const isSeen =
      fault.processes.length === 0 ||
      fault.processes.some((name) => window.processes.some((one) => one.startsWith(`${name}.`)))
    return hanging.has(fault.kind) && isSeen && from <= window.from && until >= wonAt!
  })

export const measureBursts = (history: History): { bursts: Bursts; violations: Violation[] } => {
  const { operations, processes, faults, run, begin, end } = history
  const minority = (run.nodes.length - 1) >> 1
  const all = [...groupBy(operations, ({ kind, key }) => (kind === 'burst' ? key : ''))]
    .filter(([key, { length }]) => key !== '' && length > 1)
    .map(([key, contenders]) => burstOf(key, contenders))
    .filter(({ window }) => window.from >= begin && window.until <= end)
  const judged = all.filter(
    ({ window, contenders }) =>
      affectedIn(history, window).size <= minority &&
      !wasHit(history, window) &&
      !wasBusy(
        history,
        window,
        contenders.map(({ late }) => late),
      ),
  )
  const violations = judged
    .filter(({ wonAt }) => wonAt === undefined)
    .map(({ key, contenders, window }): Violation => {
      const answers = contenders.map(({ op, outcome, reason }) => `${op} ${reason ?? outcome}`)
      const affected = [...affectedIn(history, window)].map((node) => run.nodes[node])
      return {
        check: 'no winner',
        text: `${key}, at ${moment(begin, window.from)}, with ${affected.join(', ') || 'no node'} affected: ${answers.join(', ')}`,
        operations: contenders.map(({ op }) => op),
      }
    })
  const timed = judged.filter(({ window }) =>
    window.processes.every((name) => window.from >= processes.get(name)!.startedAt + startUp),
  )
  const clientFaults = faults.filter(({ fault }) => fault.nodes.length === 0)
  const affected = timed.filter(({ window }) => affectedIn(history, window).size > 0)
  const calm = timed.filter(
    (one) =>
      !affected.includes(one) &&
      !clientFaults.some(
        ({ from, until }) => from <= one.window.until && until + startUp >= one.window.from,
      ),
  )
  return {
    bursts: {
      bursts: all.length,
      judged: judged.length,
      withoutWinner: violations.length,
      calm: timesOf(calm),
      hanging: timesOf(affected.filter((one) => hasHangingNode(history, one))),
      otherwise: timesOf(affected.filter((one) => !hasHangingNode(history, one))),
    },
    violations,
  }
}
