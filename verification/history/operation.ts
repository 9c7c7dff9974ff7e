import type { Kind, Refusal } from './records.ts'

/** A fencing token that a client received. */
export type Token = {
  readonly token: number
  readonly requestedAt: number
  readonly confirmedAt: number
}

/** The facts that records may contain about an operation. */
type Facts = {
  validity: number
  holder: string
  answer: 'acquired' | 'passed' | 'forced' | 'failed' | Refusal
  answeredAt: number
  /** The rejection, or the failure. */
  reason: string
  retryAfter: number
  acquiredAt: number
  held: readonly string[]
  lock: string
  askedAt: number
  /** The end of the validity, as of the acquire, and as of the last extend. */
  grantedUntil: number
  validUntil: number
  window: number
  limit: number
  /** The maximum delay of timers in its process until the answer, in ms. */
  late: number
  /** When the last extend succeeded, or the acquire if there was none; and the number of extends. */
  renewedAt: number
  extensions: number
  /** When a node was first asked for the next extend. */
  extendingAt: number
  lostAt: number
  grantedBy: readonly number[]
  /** The maximum delay of timers in its process between the last renewal and the loss, in ms. */
  lateLoss: number
  tokenAskedAt: number
  readAt: number
  writingAt: number
  writtenAt: number
  outcome: 'written' | 'stale' | 'skipped' | 'lost' | 'failed' | 'refused'
  releasingAt: number
  releasedAt: number
}

/** One operation of a client, according to its records. Facts without a record are undefined. */
export type Operation = { [Name in keyof Facts]?: Facts[Name] | undefined } & {
  readonly op: string
  readonly process: string
  kind: Kind
  /** The keys of its call, or of its slot. */
  keys: readonly string[]
  readonly calledAt: number
  /** The time of its last known step. */
  lastAt: number
  tokens: readonly Token[]
}
