import { quantile } from 'simple-statistics'
import type { Burst } from './burst.ts'
import { affectedIn } from './disturbances.ts'
import type { History } from './model.ts'

// How long it takes until some client of a burst has the lock, from the first call on.

export type Times = {
  readonly bursts: number
  /** In ms. */
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export type WinnerTimes = {
  /** Without any fault. */
  readonly calm: Times
  /** While a node, but no majority, hung or was cut off: its requests got no answer. */
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
  return { bursts: times.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}

/** Whether a node hung for one of the clients, from the first call until somebody had the lock. */
const hasHangingNode = ({ faults }: History, { window, wonAt }: Burst): boolean =>
  faults.some(({ fault, from, until }) => {
    const isSeen =
      fault.processes.length === 0 ||
      fault.processes.some((name) => window.processes.some((one) => one.startsWith(`${name}.`)))
    return hangs.has(fault.kind) && isSeen && from <= window.from && until >= wonAt!
  })

/** Whether no process of clients was being hit or started, which makes the machine slower. */
const isWithoutClientFaults = ({ faults }: History, { window }: Burst): boolean =>
  !faults.some(
    ({ fault, from, until }) =>
      fault.nodes.length === 0 && from <= window.until && until + startUp >= window.from,
  )

/** @param bursts - Those with a majority of nodes and all clients well. */
export const measureWinnerTimes = (history: History, bursts: readonly Burst[]): WinnerTimes => {
  const isNew = (process: string, at: number): boolean =>
    at < history.processes.get(process)!.startedAt + startUp
  const timed = bursts.filter(
    ({ window }) => !window.processes.some((process) => isNew(process, window.from)),
  )
  const isAffected = ({ window }: Burst): boolean => affectedIn(history, window).size > 0
  const affected = timed.filter(isAffected)
  return {
    calm: timesOf(timed.filter((one) => !isAffected(one) && isWithoutClientFaults(history, one))),
    hanging: timesOf(affected.filter((one) => hasHangingNode(history, one))),
    otherwise: timesOf(affected.filter((one) => !hasHangingNode(history, one))),
  }
}
