import type { RunEvent } from '../campaign/events.ts'
import type { Availability } from './availability.ts'
import type { Bursts } from './no-winner.ts'
import type { SlotCounts } from './guarantees.ts'
import type { Lifetimes } from './lifetimes.ts'
import type { LostLocks } from './lost-locks.ts'
import type { Orphans } from './orphans.ts'
import type { Recovery } from './recovery.ts'
import type { Violation } from './violation.ts'
import type { Counts } from './writes.ts'

/** The verdict on the guarantees in a history. */
export type Verdict = {
  readonly seed: number
  readonly minutes: number
  readonly broken: string | null
  readonly network: RunEvent['network']
  readonly clocks: boolean
  readonly seconds: number
  readonly events: number
  readonly operations: number
  readonly clients: number
  readonly locks: number
  readonly faults: Readonly<Record<string, number>>
  /** The maximum delay of timers in the main process, in ms. It shows how busy the machine was. */
  readonly timerLag: number
  readonly killedWhileHolding: number
  readonly counts: Counts
  /** Clocks that jumped ahead, and the pairs of holders and lost updates that they explain. */
  readonly clockJumps: {
    readonly times: number
    readonly holders: number
    readonly updates: number
  }
  readonly availability: Availability
  readonly bursts: Bursts
  /** Absent in results of versions without slots. */
  readonly slots?: readonly SlotCounts[]
  readonly lostLocks: LostLocks
  readonly recoveries: readonly Recovery[]
  readonly orphans: Orphans
  readonly lifetimes: Lifetimes
  readonly failures: Readonly<Record<string, number>>
  readonly violations: readonly Violation[]
}
