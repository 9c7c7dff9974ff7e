import type { ClientRecord } from '../../history/records.ts'
import type { Fault } from '../nemesis/fault.ts'
import type { KeyKind } from './settings.ts'

// The events of a campaign, in addition to the records of its clients. Each process records what it observes, and the
// checker uses nothing else.

/** An element of a counter in the store: the value, its writer, and the writer of the value that was read before. */
export type Entry = {
  readonly n: number
  readonly op: string
  readonly previous: string | null
  readonly token: number | null
}

/** The options of the campaign. Times in ms. */
export type RunEvent = {
  readonly type: 'run'
  readonly at: number
  readonly seed: number
  readonly minutes: number
  readonly broken: string | null
  /** How partitions and losses were injected: by dropping packets, or with a proxy that holds back bytes. */
  readonly network: 'packets' | 'proxy'
  /** Whether the clocks of servers could be stepped. */
  readonly clocks: boolean
  readonly ttl: number
  readonly driftFactor: number
  readonly nodes: readonly string[]
}

/** The period with faults begins or ends. */
type PhaseEvent = { readonly type: 'begin' | 'end'; readonly at: number }

/** A process of clients has started. */
type ProcessEvent = {
  readonly type: 'process'
  readonly at: number
  readonly process: string
  readonly pid: number
  readonly runtime: string
  /** The maximum error of event times, in ms. */
  readonly resolution: number
  /** Whether each step is recorded before it is taken, so that a kill loses no step. */
  readonly isComplete: boolean
  /** The travel time of a request to a node and its reply, in ms. */
  readonly roundTrip: number
}

/** A fault begins, or has ended. */
export type FaultEvent =
  | {
      readonly type: 'fault'
      readonly at: number
      readonly fault: Fault
      /** For a client process: its pid, and whether one of its clients held a lock just before. */
      readonly pid?: number
      readonly isHolding?: boolean
    }
  | { readonly type: 'healed'; readonly at: number; readonly fault: Fault }

/** A process of clients did not stop in time. */
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
  | ClientRecord
  | RunEvent
  | PhaseEvent
  | ProcessEvent
  | FaultEvent
  | TimerLagEvent
  | LifetimesEvent
  | StoreEvent
  | UnfinishedEvent
