import type { Fault } from '../nemesis/fault.ts'
import type { KeyKind } from './settings.ts'

// The events of a history. Each process writes down what it sees; the checker knows nothing else.
// `at` and `validUntil` are in ns of the monotonic clock, which all processes of a machine share.

/** An element of a counter in the store: its value, its writer, and the writer of the value read. */
export type Entry = {
  readonly n: number
  readonly op: string
  readonly previous: string | null
  readonly token: number | null
}

/**
 * The steps of an operation, in this order. An operation may end after any of them.
 *
 * `late`: the maximum delay of timers in the process of a client in a burst since the last step, in ms.
 */
export type Step =
  /** `validity`: how long the lock of a client in a burst is valid after it was asked for, in ms. */
  | { readonly type: 'invoke'; readonly kind: KeyKind; readonly validity?: number }
  /** `slot`: the resource of the lock, where the key has slots. */
  | {
      readonly type: 'acquired'
      readonly validUntil: number
      readonly slot?: string
      readonly late?: number
    }
  | { readonly type: 'token'; readonly token: number }
  | { readonly type: 'read'; readonly n: number; readonly by: string | null }
  | { readonly type: 'extending' }
  | { readonly type: 'extended'; readonly validUntil: number }
  /** `grantedBy`: the indices of the nodes whose last reply about the lock granted it. */
  | { readonly type: 'lost'; readonly grantedBy?: readonly number[]; readonly late?: number }
  | { readonly type: 'writing'; readonly n: number }
  | { readonly type: 'written' }
  | { readonly type: 'refused' }
  | { readonly type: 'rejected'; readonly reason: string; readonly late: number }
  | { readonly type: 'skipped' }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'releasing' }
  | { readonly type: 'released'; readonly result: string }

/** A step of an operation of a client. */
export type OperationEvent = Step & {
  readonly at: number
  /** Ms since 1970. */
  readonly wall: number
  /** The process, its generation and the number of the client in it: `node-1.1/7`. */
  readonly client: string
  /** The client and the number of the operation: `node-1.1/7#3`. */
  readonly op: string
  readonly key: string
}

/** The options of the campaign. Times in ms. */
export type RunEvent = {
  readonly type: 'run'
  readonly at: number
  readonly seed: number
  readonly minutes: number
  readonly broken: string | null
  /** How partitions and losses were made: packets were dropped, or a proxy held bytes back. */
  readonly network: 'packets' | 'proxy'
  /** Whether the clocks of servers could be stepped. */
  readonly clocks: boolean
  readonly ttl: number
  readonly driftFactor: number
  readonly nodes: readonly string[]
}

/** The time of the faults begins or ends. */
type PhaseEvent = { readonly type: 'begin' | 'end'; readonly at: number }

/** A process of clients has started. */
type ProcessEvent = {
  readonly type: 'process'
  readonly at: number
  readonly process: string
  readonly pid: number
  readonly runtime: string
  /** By how much the times of its events may be off, in ns. */
  readonly resolution: number
  /** Whether each step is written down before it is taken, so that a kill loses none. */
  readonly isComplete: boolean
  /** How long a request to a node and its reply travel, in ms. */
  readonly roundTrip: number
}

/** A fault begins, or has ended. */
export type FaultEvent =
  | {
      readonly type: 'fault'
      readonly at: number
      readonly fault: Fault
      /** Of a process of clients: its pid, and whether one of them held a lock right before. */
      readonly pid?: number
      readonly isHolding?: boolean
    }
  | { readonly type: 'healed'; readonly at: number; readonly fault: Fault }

/** A process of clients did not finish in time after it was told to stop. */
type UnfinishedEvent = {
  readonly type: 'unfinished'
  readonly at: number
  readonly process: string
}

/** The maximum delay of timers in the main process during the last second, in ms. */
export type TimerLagEvent = {
  readonly type: 'timer lag'
  readonly at: number
  readonly late: number
}

/** The maximum remaining lifetime of a lock on a server, in ms, as that server reports it. */
export type LifetimesEvent = {
  readonly type: 'lifetimes'
  readonly at: number
  readonly node: string
  readonly longest: number
}

/** The final content of a counter in the store: every value it ever had, in order. */
export type StoreEvent = {
  readonly type: 'store'
  readonly at: number
  readonly key: string
  readonly kind: KeyKind
  readonly entries: readonly Entry[]
}

export type HistoryEvent =
  | OperationEvent
  | RunEvent
  | PhaseEvent
  | ProcessEvent
  | FaultEvent
  | TimerLagEvent
  | LifetimesEvent
  | StoreEvent
  | UnfinishedEvent
