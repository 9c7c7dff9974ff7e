import type { Operation } from '../../history/operation.ts'

/** The outcomes of the writes to all counters. */
export type Counts = {
  /** Writes that were acknowledged and are in the store. */
  written: number
  /** Writes that are in the store, but whose writer was killed before it received the acknowledgment. */
  unacknowledged: number
  /** Writes that the guard rejected. */
  refused: number
  /** Writes that were not attempted because the lock was no longer held. */
  skipped: number
  /** Writes without a guard that were acknowledged after the lock had ended. They can lose updates. */
  late: number
  /** Updates lost by late writes. */
  excused: number
  /** Updates lost because of a clock jump. */
  lostByJump: number
}

export const noCounts = (): Counts => ({
  written: 0,
  unacknowledged: 0,
  refused: 0,
  skipped: 0,
  late: 0,
  excused: 0,
  lostByJump: 0,
})

// A write without an acknowledgment is assumed to take at most this long, in ms.
const maxWriteTime = 1000

/** Whether the lock was certainly held during the whole write. */
export const isCovered = ({ writingAt, writtenAt, validUntil }: Operation): boolean =>
  writingAt !== undefined && (writtenAt ?? writingAt + maxWriteTime) <= validUntil!
