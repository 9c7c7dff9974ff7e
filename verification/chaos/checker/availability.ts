import { quantile } from 'simple-statistics'
import type { History, Operation } from './model.ts'
import { type Spell, spellsWith } from './weather.ts'

// How well locks can be had. Only acquires of keys that nobody else wants count here: the others
// wait for holders, not for nodes.

export type Availability = {
  /** Acquires while there was no fault at all, and their p50 and p99 in ms. */
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
  /** Not counted: their own process was hit, or new; or the nodes fell ill, or got well. */
  readonly leftOut: number
}

// So long after a fault, connections are being made again. In ns.
const settling = 500e6
// So long after its start, a process is slower than it will be, and slows down the machine.
const young = 3e9

const end = ({ acquiredAt, lastAt }: Operation): number => acquiredAt ?? lastAt

type Span = { readonly from: number; readonly until: number }

const overlaps = (one: Operation, { from, until }: Span, after: number): boolean =>
  from <= end(one) && until + after >= one.invokedAt

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
    const { startedAt, killedAt = Infinity, paused } = processes.get(one.process)!
    const isCutOff = one.acquiredAt === undefined && one.outcome !== 'failed'
    const isHit = killedAt <= end(one) || paused.some((span) => overlaps(one, span, settling))
    const isYoung = one.invokedAt < startedAt + young
    return isCutOff || isHit || isYoung || outage.some((span) => overlaps(one, span, settling))
  }
  const probes = history.operations.filter(
    ({ kind, invokedAt }) =>
      kind === 'private' && invokedAt >= history.begin && invokedAt < history.end,
  )
  const counted = probes.filter((one) => !isDisturbed(one))
  const onClients = history.faults.filter(({ fault }) => fault.nodes.length === 0)
  const isCalm = (one: Operation): boolean =>
    well.some(({ from, until }) => one.invokedAt >= from + settling && end(one) <= until) &&
    !onClients.some((span) => overlaps(one, span, young))
  const usual = counted.filter((one) => one.acquiredAt !== undefined && isCalm(one)).map(ms)
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
