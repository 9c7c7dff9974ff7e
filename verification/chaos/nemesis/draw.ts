import type { Random } from '../../../tools/random.ts'
import { clockJump, clockNudge, nodes, processes, quarantine } from '../campaign/settings.ts'
import type { Fault, NodeFault } from './fault.ts'

// Draws the parameters of a fault: its nodes, its links and its amount.

/** The indices of the nodes with persistence, and of the others. */
export const persistent = nodes.flatMap(({ isPersistent }, index) => (isPersistent ? [index] : []))
export const volatile = nodes.flatMap(({ isPersistent }, index) => (isPersistent ? [] : [index]))

/** The indices of the nodes that a fault can hit. */
export const candidates = (kind: NodeFault): readonly number[] =>
  // The clock of a volatile node must stay accurate, because it determines how long the node is quarantined.
  kind === 'redis killed' || kind.startsWith('clock')
    ? persistent
    : kind === 'volatile redis killed'
      ? volatile
      : nodes.map((_, index) => index)

export const shuffled = <T>(list: readonly T[], { unit }: Random): T[] =>
  list
    .map((one) => ({ one, order: unit() }))
    .sort((a, b) => a.order - b.order)
    .map(({ one }) => one)

/** Draws the ms of a delay or a clock step, or a fraction of messages or requests. */
export const drawAmount = (kind: NodeFault, { between, pick }: Random): number => {
  if (kind === 'clock nudged') return pick([-1, 1]) * Math.round(between(1, clockNudge))
  if (kind === 'clock jumps') return pick([-1, 1]) * Math.round(between(...clockJump))
  if (kind === 'delay') return Math.round(between(20, 400))
  if (kind === 'gateway slow bodies') return Math.round(between(50, 900))
  if (kind === 'loss') return between(0.05, 0.4)
  return between(0.3, 1)
}

/** How long after the fault its nodes still count as affected, in ms. */
export const abstainsAfter = (kind: NodeFault, amount: number): number => {
  if (kind === 'volatile redis killed') return quarantine
  return kind === 'clock jumps' ? Math.max(0, amount) : 0
}

/** Draws the processes whose links fail; an empty list means all processes. */
export const drawLinks = (kind: NodeFault, random: Random): Fault['processes'] => {
  const isLink = /connections|delay|loss|partition|replies/.test(kind)
  if (!isLink || random.chance(0.5)) return []
  const names = shuffled(
    processes.map(({ name }) => name),
    random,
  )
  return names.slice(0, random.whole(1, names.length - 1))
}
