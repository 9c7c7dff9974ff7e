import type { Random } from '../../../tools/random.ts'
import { leap, nodes, nudge, processes, quarantine } from '../campaign/settings.ts'
import type { Fault, NodeFault } from './fault.ts'

// What a fault is like: which nodes it can hit, whose links to them, and how hard.

export const persistent = nodes.flatMap(({ isPersistent }, index) => (isPersistent ? [index] : []))
export const forgetful = nodes.flatMap(({ isPersistent }, index) => (isPersistent ? [] : [index]))

export const candidates = (kind: NodeFault): readonly number[] =>
  // A volatile node measures by its clock how long it abstains.
  kind === 'redis killed' || kind.startsWith('clock')
    ? persistent
    : kind === 'volatile redis killed'
      ? forgetful
      : nodes.map((_, index) => index)

export const shuffled = <T>(list: readonly T[], { unit }: Random): T[] =>
  list
    .map((one) => ({ one, order: unit() }))
    .sort((a, b) => a.order - b.order)
    .map(({ one }) => one)

/** How much of it: ms of delay or of a clock, or the share of messages or requests. */
export const amountOf = (kind: NodeFault, { between, pick }: Random): number => {
  if (kind === 'clock nudged') return pick([-1, 1]) * Math.round(between(1, nudge))
  if (kind === 'clock leaps') return pick([-1, 1]) * Math.round(between(...leap))
  if (kind === 'delay') return Math.round(between(20, 400))
  if (kind === 'gateway slow bodies') return Math.round(between(50, 900))
  if (kind === 'loss') return between(0.05, 0.4)
  return between(0.3, 1)
}

/** For how many ms nodes do not count after it. */
export const abstainsAfter = (kind: NodeFault, amount: number): number => {
  if (kind === 'volatile redis killed') return quarantine
  return kind === 'clock leaps' ? Math.max(0, amount) : 0
}

/** Links fail for everybody, or for some. */
export const linksOf = (kind: NodeFault, random: Random): Fault['processes'] => {
  const isLink = /connections|delay|loss|partition|replies/.test(kind)
  if (!isLink || random.chance(0.5)) return []
  const names = shuffled(
    processes.map(({ name }) => name),
    random,
  )
  return names.slice(0, random.whole(1, names.length - 1))
}
