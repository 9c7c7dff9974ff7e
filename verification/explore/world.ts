import type { Redlock } from '../../src/index.ts'
import type { Observer } from './observer.ts'

/**
 * The events that may happen in one path, each at most this many times. Default: 0. Acquires need no bound: each arrives at its
 * node at any time, in any order.
 */
type Bounds = {
  /** A reply, or a request other than an acquire, arrives late: after anything else has happened. */
  readonly late?: number
  /** A request or a reply is lost, or the connection breaks before or after the node has executed the request. */
  readonly losses?: number
  /** A node executes a request a second time. */
  readonly repeats?: number
  /** Time passes for a moment or until the next timer, although messages are under way or a client could go on. */
  readonly delays?: number
  /** Time passes until a lock expires on a node. Timers fire meanwhile, and messages wait. */
  readonly leaps?: number
  /** The same, but one client is paused: its timers fire late, after the pause. */
  readonly pauses?: number
  /** A client ends without a further step. */
  readonly crashes?: number
  /** A node loses its data, and reports another run from then on. */
  readonly restarts?: number
}
export type Fault = keyof Bounds

/** The tools of a client's program. */
export type Client = {
  readonly name: string
  readonly redlock: Redlock
  readonly key: string
  /** Waits until the search lets the client go on: immediately, or after anything else has happened. */
  readonly goOn: () => Promise<void>
  /** Records what the client does, for the checks. */
  readonly observe: Observer
}

/** A world to search: clients with their programs, nodes, and the faults that may happen. */
export type World = {
  readonly name: string
  readonly description: string
  readonly nodes: number
  /** One for each client. Clients with the same program and clock are interchangeable. */
  readonly programs: readonly ((client: Client) => Promise<void>)[]
  /** The bounds of CI. */
  readonly bounds: Bounds
  /** The bounds of every night. */
  readonly longBounds: Bounds
  /** The speed of the clock of each client, and of each node. Default: 1. */
  readonly clientRates?: readonly number[]
  readonly nodeRates?: readonly number[]
  /** Whether the nodes are volatile, so that they abstain after a restart. */
  readonly isVolatile?: boolean
}
