import { quantile } from 'simple-statistics'
import { type Period, periodsWith } from './affected-nodes.ts'
import type { Burst } from './burst.ts'
import { affectedIn, overlaps } from './disturbances.ts'
import type { History } from './model.ts'

// How long it takes until some client of a burst has the lock, from the first call on.

export type Times = {
  /** The bursts with a winner, and those without. */
  readonly won: number
  readonly withoutWinner: number
  /** In ms. */
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export type WinnerTimes = {
  /** Without any fault. */
  readonly calm: Times
  /** Begun while a node, but no majority, hung or was cut off: requests to it got no answer. */
  readonly hanging: Times
  /** With a minority of nodes affected in other ways. */
  readonly otherwise: Times
}

const hangs: ReadonlySet<string> = new Set([
  'redis paused',
  'gateway paused',
  'partition',
  'replies held',
])

// A process is slower than usual for so long after its start, and slows down the machine, in ns.
const startUp = 3e9

const timesOf = (bursts: readonly Burst[]): Times => {
  const times = bursts.flatMap(({ wonAt, window }) =>
    wonAt === undefined ? [] : (wonAt - window.from) / 1e6,
  )
  const at = (share: number): number => (times.length > 0 ? quantile(times, share) : NaN)
  const withoutWinner = bursts.length - times.length
  return { won: times.length, withoutWinner, p50: at(0.5), p99: at(0.99), max: at(1) }
}

/** Whether a node hung for one of the clients when they called. */
const hasHangingNode = ({ faults }: History, { window }: Burst): boolean =>
  faults.some(({ fault, from, until }) => {
    const isSeen =
      fault.processes.length === 0 ||
      fault.processes.some((name) => window.processes.some((one) => one.startsWith(`${name}.`)))
    return hangs.has(fault.kind) && isSeen && from <= window.from && until > window.from
  })

/** Whether no process of clients was being hit or started, which makes the machine slower. */
const isWithoutClientFaults = ({ faults }: History, { window }: Burst): boolean =>
  !faults.some(
    ({ fault, from, until }) =>
      fault.nodes.length === 0 && from <= window.until && until + startUp >= window.from,
  )

/** @param bursts - Those whose clients were well. */
export const measureWinnerTimes = (
  history: History,
  periods: readonly Period[],
  bursts: readonly Burst[],
): WinnerTimes => {
  const { processes, run } = history
  const minority = (run.nodes.length - 1) >> 1
  const outages = periodsWith(periods, (affected) => affected > minority)
  const timed = bursts.filter(
    ({ window }) =>
      !window.processes.some((name) => window.from < processes.get(name)!.startedAt + startUp) &&
      !outages.some((outage) => overlaps(outage, window)),
  )
  const hanging = timed.filter((burst) => hasHangingNode(history, burst))
  const others = timed.filter((burst) => !hanging.includes(burst))
  const isCalm = (burst: Burst): boolean =>
    affectedIn(history, burst.window).size === 0 && isWithoutClientFaults(history, burst)
  return {
    calm: timesOf(others.filter(isCalm)),
    hanging: timesOf(hanging),
    otherwise: timesOf(others.filter((burst) => affectedIn(history, burst.window).size > 0)),
  }
}
