import type { ProcessName } from '../campaign/settings.ts'

/** The faults of nodes, and of links to them. */
export const nodeFaults = [
  'redis killed',
  'volatile redis killed',
  'redis paused',
  'gateway killed',
  'gateway paused',
  'gateway errors',
  'gateway slow bodies',
  'gateway runs requests twice',
  'connections reset',
  'delay',
  'loss',
  'partition',
  'replies held',
  'clock nudged',
  'clock jumps',
] as const
export type NodeFault = (typeof nodeFaults)[number]

/** The faults of a process of clients. */
export const clientFaults = ['client killed', 'client paused'] as const
type ClientFault = (typeof clientFaults)[number]

/** A fault in the schedule. Times in ms since the beginning. */
export type Fault = {
  readonly id: number
  readonly kind: NodeFault | ClientFault
  readonly from: number
  readonly until: number
  /** The indices of the affected nodes. */
  readonly nodes: readonly number[]
  /**
   * For how long after the end of the fault the nodes do not count. Volatile nodes abstain, and keys that were
   * granted while a clock was ahead live longer.
   */
  readonly abstains: number
  /** The processes whose links to the nodes are affected (none means all), or that are hit. */
  readonly processes: readonly ProcessName[]
  /** The ms of a delay or a clock step, or a fraction. For a client: how far into its work it is hit, 0 to 1. */
  readonly amount: number
}
