import { quantile } from 'simple-statistics'
import type { History, Operation } from './model.ts'
import { type Spell, spellsWith } from './weather.ts'

// How well locks can be had. Only acquires of keys that nobody else wants count here: the others
// wait for holders, not for nodes.

export type Availability = {
  /** Acquires while all nodes were well, and their p50 and p99 in ms. */
  readonly baseline: { readonly acquires: number; readonly p50: number; readonly p99: number }
  /** Acquires while one or more nodes, but no majority of them, were affected. */
  readonly minority: {
    readonly acquires: number
    /** Those that were had within twice the p99 of the baseline; the share of them. */
    readonly inTime: number
    readonly share: number
    /** Those that were had at all. */
    readonly served: number
    readonly p50: number
    readonly p99: number
  }
  /** Not counted: their own process was killed or paused, or the nodes fell ill or got well. */
  readonly leftOut: number
}

// So long after a fault, connections are being made again. In ns.
const settling = 500e6

const end = ({ acquiredAt, lastAt }: Operation): number => acquiredAt ?? lastAt

const within = (
  { invokedAt, ...rest }: Operation,
  spells: readonly { from: number; until: number }[],
  after = 0,
): boolean =>
  spells.some(
    ({ from, until }) =>
      invokedAt >= from + after && end({ invokedAt, ...rest }) <= until && invokedAt < until,
  )

const summary = (times: readonly number[]): { p50: number; p99: number } =>
  times.length > 0
    ? { p50: quantile([...times], 0.5), p99: quantile([...times], 0.99) }
    : { p50: NaN, p99: NaN }

export const measureAvailability = (
  history: History,
  spells: readonly Spell[],
  nodes: number,
): Availability => {
  const { processes } = history
  const most = (nodes - 1) >> 1
  const well = spellsWith(spells, (affected) => affected === 0)
  const ill = spellsWith(spells, (affected) => affected > 0 && affected <= most)
  const outage = spellsWith(spells, (affected) => affected > most)
  const ms = (one: Operation): number => (end(one) - one.invokedAt) / 1e6

  const isDisturbed = (one: Operation): boolean => {
    const { killedAt = Infinity, paused } = processes.get(one.process)!
    const isHit =
      killedAt <= end(one) ||
      (one.acquiredAt === undefined && one.outcome !== 'failed') ||
      paused.some(({ from, until }) => from <= end(one) && until + settling >= one.invokedAt)
    const isOut = outage.some(
      ({ from, until }) => from <= end(one) && until + settling >= one.invokedAt,
    )
    return isHit || isOut
  }
  const probes = history.operations.filter(
    ({ kind, invokedAt }) =>
      kind === 'private' && invokedAt >= history.begin && invokedAt < history.end,
  )
  const counted = probes.filter((one) => !isDisturbed(one))
  const usual = counted.filter((one) => one.acquiredAt && within(one, well, settling)).map(ms)
  const faulty = counted.filter(({ invokedAt }) =>
    ill.some(({ from, until }) => invokedAt >= from && invokedAt < until),
  )
  const baseline = { acquires: usual.length, ...summary(usual) }
  const served = faulty.filter(({ acquiredAt }) => acquiredAt !== undefined)
  const inTime = served.filter((one) => ms(one) <= 2 * baseline.p99)
  return {
    baseline,
    minority: {
      acquires: faulty.length,
      inTime: inTime.length,
      share: faulty.length > 0 ? inTime.length / faulty.length : NaN,
      served: served.length,
      ...summary(served.map(ms)),
    },
    leftOut: probes.length - usual.length - faulty.length,
  }
}
