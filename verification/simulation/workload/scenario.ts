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
  /** The stalls of event loops; undefined if none stalls. */
  readonly stalls?: Stalls
  readonly recorder: Recorder
  readonly servers: readonly Server[]
  /** The URLs of the nodes. With `duplicateNode`, there is one more URL than servers. */
  readonly urls: readonly string[]
  readonly token: string
  readonly quorum: number
  /** The time constants of all clients. */
  readonly pace: Pace
  readonly keys: readonly string[]
  /** The maximum TTL and window of a call, in ms. */
  readonly maxTtl: number
  readonly options: Pick<RedlockOptions, 'retry' | 'localQueue' | 'budget'> & {
    readonly ttl: number
    readonly driftFactor: number
    readonly fenceTtl?: AdvancedOptions['fenceTtl']
    readonly nodeTimeout: number | undefined
    /** Undefined for the default. */
    readonly concurrency?: number | undefined
  }
  /** The values of locks that are never released. */
  readonly abandoned: Set<string>
  /** The values of locks that are being handed over from one process to another. */
  readonly handedOver: Set<string>
  /** Creates the generator of lock values for a new process. A value consists of eight unique characters and a secret. */
  readonly valuesOfProcess: () => () => string
  readonly clients: SimulatedClient[]
  /** Whether to search errors, events and reports for secrets. This is slow, so only some histories do it. */
  readonly checksForSecrets: boolean
}

/** A process with a client, and the locks that it holds. */
export type SimulatedClient = {
  readonly process: Process
  readonly redlock: SlotRedlock
  readonly strategy: 'parallel' | 'frugal'
  readonly held: Map<Operation, Lock>
  /** Work that was passed to `waitUntil`, which continues after a call. */
  readonly background: Promise<unknown>[]
  /** Whether the client has abandoned a lock, whose timer continues until the end of the validity. */
  hasAbandonedLock: boolean
}
