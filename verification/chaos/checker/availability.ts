import { quantile } from 'simple-statistics'
import { type Period, periodsWith } from './affected-nodes.ts'
import { wasBusy } from './disturbances.ts'
import type { Operation } from '../../history/operation.ts'
import type { History } from './model.ts'

// Measures how reliably and how fast locks are acquired. Only keys that a single client uses are included: on other
// keys, clients wait for holders instead of nodes.

export type Availability = {
  /** Acquires without any fault, and their p50 and p99 in ms. */
  readonly baseline: { readonly acquires: number; readonly p50: number; readonly p99: number }
  /** Acquires while some nodes, but not a majority, were affected. */
  readonly minority: {
    readonly acquires: number
    /** The acquires that succeeded within twice the p99 of the baseline, and their fraction. */
    readonly inTime: number
    readonly share: number
    /** The acquires that succeeded. */
    readonly served: number
    readonly p50: number
    readonly p99: number
  }
  /** Acquires that are not counted: the process was hit or new, the machine was busy, or the affected nodes changed. */
  readonly leftOut: number
}

// Clients reconnect for this long after a fault, in ms.
const settling = 500
// For this many ms after its start, a process is slower than usual and slows down the machine.
const startUp = 3000

const endOf = ({ answeredAt, lastAt }: Operation): number => answeredAt ?? lastAt

const durationOf = (one: Operation): number => endOf(one) - one.calledAt

type Span = { readonly from: number; readonly until: number }

const overlaps = (one: Operation, { from, until }: Span, after: number): boolean =>
  from <= endOf(one) && until + after >= one.calledAt

const quantiles = (times: readonly number[]): { p50: number; p99: number } =>
  times.length > 0
    ? { p50: quantile([...times], 0.5), p99: quantile([...times], 0.99) }
    : { p50: NaN, p99: NaN }

export const measureAvailability = (
  history: History,
  periods: readonly Period[],
  nodes: number,
): Availability => {
  const { processes } = history
  const minority = (nodes - 1) >> 1
  const calm = periodsWith(periods, (affected) => affected === 0)
  const partial = periodsWith(periods, (affected) => affected > 0 && affected <= minority)
  const outages = periodsWith(periods, (affected) => affected > minority)

  const isDisturbed = (one: Operation): boolean => {
    const { startedAt, killedAt = Infinity, paused } = processes.get(one.process)!
    const isCutOff = one.answer === undefined
    const isHit = killedAt <= endOf(one) || paused.some((span) => overlaps(one, span, settling))
    const isStartingUp = one.calledAt < startedAt + startUp
    // On a busy machine, even healthy nodes reply too late.
    const isBusy = wasBusy(history, { from: one.calledAt, until: endOf(one), processes: [] }, [])
    const isOut = outages.some((span) => overlaps(one, span, settling))
    return isCutOff || isHit || isStartingUp || isBusy || isOut
  }
  const acquires = history.operations.filter(
    ({ kind, calledAt }) =>
      kind === 'private' && calledAt >= history.begin && calledAt < history.end,
  )
  const counted = acquires.filter((one) => !isDisturbed(one))
  const clientFaults = history.faults.filter(({ fault }) => fault.nodes.length === 0)
  const isWithoutFaults = (one: Operation): boolean =>
    calm.some(({ from, until }) => one.calledAt >= from + settling && endOf(one) <= until) &&
    !clientFaults.some((span) => overlaps(one, span, startUp))
  const usual = counted
    .filter((one) => one.acquiredAt !== undefined && isWithoutFaults(one))
    .map(durationOf)
  const affected = counted.filter(({ calledAt }) =>
    partial.some(({ from, until }) => calledAt >= from && calledAt < until),
  )
  const baseline = { acquires: usual.length, ...quantiles(usual) }
  const served = affected.filter(({ acquiredAt }) => acquiredAt !== undefined)
  const inTime = served.filter((one) => durationOf(one) <= 2 * baseline.p99)
  return {
    baseline,
    minority: {
      acquires: affected.length,
      inTime: inTime.length,
      share: affected.length > 0 ? inTime.length / affected.length : NaN,
      served: served.length,
      ...quantiles(served.map(durationOf)),
    },
    leftOut: acquires.length - usual.length - affected.length,
  }
}
