import type { ProcessName } from '../campaign/settings.ts'

/** The faults of nodes, and of the links to them. */
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

/** The faults of a client process. */
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
   * How long after the end of the fault the nodes still count as affected. Volatile nodes are quarantined, and keys
   * that were granted while a clock was ahead live longer.
   */
  readonly abstains: number
  /** The processes whose links to the nodes are affected (an empty list means all), or the process that is hit. */
  readonly processes: readonly ProcessName[]
  /** A delay or a clock step in ms, or a fraction. For a client process: how far into its work it is hit, 0 to 1. */
  readonly amount: number
}
