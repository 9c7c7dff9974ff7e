import type { ProcessName } from '../campaign/settings.ts'

/** What the nemesis can do to one or several nodes. */
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
  'clock leaps',
] as const
export type NodeFault = (typeof nodeFaults)[number]

/** What it can do to a process of clients. */
export const clientFaults = ['client killed', 'client paused'] as const
export type ClientFault = (typeof clientFaults)[number]

/** A fault to come: when, what, to whom. Times in ms from the begin. */
export type Fault = {
  readonly id: number
  readonly kind: NodeFault | ClientFault
  readonly from: number
  readonly until: number
  /** Indices of the nodes that are affected. */
  readonly nodes: readonly number[]
  /**
   * For how long they do not count after it is over: a volatile node abstains, and keys that were
   * granted by a clock that was ahead live on.
   */
  readonly abstains: number
  /** Whose links to these nodes are affected, or which process is hit. Empty: everybody's. */
  readonly processes: readonly ProcessName[]
  /** Ms of a delay or a clock, or a share; of a client: how far into its work it is hit. */
  readonly amount: number
}
