import type {
  FaultEvent,
  LifetimesEvent,
  RunEvent,
  StoreEvent,
  TimerLagEvent,
} from '../campaign/events.ts'
import type { Precision } from '../../history/holds.ts'
import type { Operation } from '../../history/operation.ts'

// A history, arranged by operations, processes and faults. Times in ms.

export type Process = Precision & {
  readonly name: string
  readonly startedAt: number
  readonly roundTrip: number
  killedAt?: number
  wasHolding?: boolean
  readonly paused: { readonly from: number; until: number }[]
}

/** A fault as it happened: from just before it was injected until its last effect ended. */
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
