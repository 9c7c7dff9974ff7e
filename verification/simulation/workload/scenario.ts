import type { Lock, RedlockOptions, SlotRedlock } from '../../../src/index.ts'
import type { AdvancedOptions } from '../../../src/core/options/redlock-options.ts'
import type { Pace } from '../../../src/core/process/pace.ts'
import type { Recorder } from '../checks/recorder.ts'
import type { Operation } from '../../history/operation.ts'
import type { Distance } from '../engine/distance.ts'
import type { EventLoop } from '../engine/event-loop.ts'
import type { Network } from '../engine/network.ts'
import type { Process } from '../engine/process.ts'
import type { Server } from '../engine/server.ts'
import type { Stalls } from '../engine/stalls.ts'
import type { FaultRates } from './fault-rates.ts'

/** The settings that all clients of a history share. */
export type Scenario = {
  readonly loop: EventLoop
  readonly rates: FaultRates
  readonly network: Network
  readonly distance: Distance
  /** What makes event loops stand still; undefined where none does. */
  readonly stalls?: Stalls
  readonly recorder: Recorder
  readonly servers: readonly Server[]
  /** The URLs of the nodes. With `duplicateNode` there is one more than there are servers. */
  readonly urls: readonly string[]
  readonly token: string
  readonly quorum: number
  /** The constants of time of all clients. */
  readonly pace: Pace
  readonly keys: readonly string[]
  /** The maximum ttl and window of a call, in ms. */
  readonly maxTtl: number
  readonly options: Pick<RedlockOptions, 'retry' | 'localQueue' | 'budget'> & {
    readonly ttl: number
    readonly driftFactor: number
    readonly fenceTtl?: AdvancedOptions['fenceTtl']
    readonly nodeTimeout: number | undefined
    /** Undefined for the default. */
    readonly concurrency?: number | undefined
  }
  /** Lock values that are never released. */
  readonly abandoned: Set<string>
  /** Lock values that are being handed over from one process to another. */
  readonly handedOver: Set<string>
  /** Returns what makes the lock values of a new process: eight unique characters, and a secret. */
  readonly valuesOfProcess: () => () => string
  readonly clients: SimulatedClient[]
  /** Whether errors, events and reports are searched for secrets. It is slow, so not always. */
  readonly checksForSecrets: boolean
}

/** A process with a client, and the locks that it holds. */
export type SimulatedClient = {
  readonly process: Process
  readonly redlock: SlotRedlock
  readonly strategy: 'parallel' | 'frugal'
  readonly held: Map<Operation, Lock>
  /** Work that continues after a call, handed to `waitUntil`. */
  readonly background: Promise<unknown>[]
  /** Whether it has abandoned a lock, whose timer runs on until the end of the validity. */
  hasAbandonedLock: boolean
}
