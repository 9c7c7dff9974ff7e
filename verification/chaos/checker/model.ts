import type {
  FaultEvent,
  LifetimesEvent,
  RunEvent,
  StoreEvent,
  TimerLagEvent,
} from '../campaign/events.ts'
import type { KeyKind } from '../campaign/settings.ts'

// A history, sorted by operations, processes and faults. Times in ns.

/** One operation of a client. The times of steps that were not taken are missing. */
export type Operation = {
  readonly op: string
  readonly client: string
  readonly process: string
  readonly key: string
  kind: KeyKind
  readonly invokedAt: number
  /** How long the lock of a client in a burst is valid after it was asked for, in ms. */
  validity?: number
  /** The slot that it acquired, where the key has slots. */
  slot?: string
  /** The time of its last known step. */
  lastAt: number
  acquiredAt?: number
  /** The end of the validity, as of the acquire. */
  grantedUntil?: number
  /** The end of the validity, as of the last extend. */
  validUntil?: number
  /** The maximum delay of timers in its process until it was answered, in ms. */
  late?: number
  /** When the last extend, or else the acquire, had succeeded; and the number of extends. */
  renewedAt?: number
  extensions?: number
  /** When a node was first asked for the next extend. */
  extendingAt?: number | undefined
  lostAt?: number
  /** The indices of the nodes whose last reply granted the lock, as of when it was lost. */
  grantedBy?: readonly number[]
  /** The maximum delay of timers in its process between both, in ms. */
  lateLoss?: number
  token?: number
  tokenAt?: number
  readAt?: number
  writingAt?: number
  writtenAt?: number
  outcome?: 'written' | 'refused' | 'skipped' | 'lost' | 'failed' | 'rejected'
  reason?: string
  releasingAt?: number
  releasedAt?: number
}

export type Process = {
  readonly name: string
  readonly startedAt: number
  readonly resolution: number
  readonly isComplete: boolean
  readonly roundTrip: number
  killedAt?: number
  wasHolding?: boolean
  readonly paused: { readonly from: number; until: number }[]
}

/** A fault as it happened: from right before it was injected until its last effect was over. */
export type InjectedFault = {
  readonly fault: FaultEvent['fault']
  readonly from: number
  until: number
}

export type History = {
  readonly run: RunEvent
  readonly begin: number
  readonly end: number
  readonly operations: readonly Operation[]
  readonly byOp: ReadonlyMap<string, Operation>
  readonly processes: ReadonlyMap<string, Process>
  readonly faults: readonly InjectedFault[]
  readonly stores: readonly StoreEvent[]
  /** Processes that did not finish. */
  readonly unfinished: readonly string[]
  readonly timerLags: readonly TimerLagEvent[]
  readonly lifetimes: readonly LifetimesEvent[]
  /** The number of events. */
  readonly events: number
}
