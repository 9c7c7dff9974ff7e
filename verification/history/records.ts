// The actions of clients, in one format. The simulation and the chaos campaigns record them in it, and every check
// reads it. Times are ms of one clock per history: simulated time, or the monotonic clock that all processes of a
// machine share.

/** The subject of a call. */
export type Kind =
  /** A lock, with one holder or several slots. */
  | 'lock'
  | 'slots'
  | 'throttle'
  /** A lock for which clients ask at the same moment. */
  | 'burst'
  /** A release of another client's lock. */
  | 'force'
  /** A lock on a counter with or without a guard, and a lock that a single client uses. */
  | 'guarded'
  | 'plain'
  | 'private'

/** The reason why a call failed. */
export type Refusal = 'locked' | 'unavailable' | 'aborted'

/**
 * The steps of an operation, in this order. Each is recorded before it is taken, or once its result is known. An
 * operation may end after any of them.
 *
 * `late`: the maximum delay of timers in the process since the last step, in ms, if it is measured.
 */
export type Step =
  | {
      readonly type: 'called'
      readonly kind: Kind
      readonly keys: readonly string[]
      /** How long the lock of a client in a burst is valid after its request, in ms. */
      readonly validity?: number
      /** The beginning of the value that a forced release should forget; any value if it is left out. */
      readonly holder?: string | undefined
    }
  | {
      readonly type: 'acquired'
      readonly validUntil: number
      /** The keys of its slot, if it has one. */
      readonly keys?: readonly string[]
      /** The secret of the lock, if several operations share it. */
      readonly lock?: string
      /** When the first request for the lock was sent, if known. */
      readonly askedAt?: number
      readonly late?: number
    }
  /**
   * A throttle let it pass, for this many ms since its first request, or its call. `limit`: how many may pass per
   * window.
   */
  | {
      readonly type: 'passed'
      readonly window: number
      readonly askedAt?: number
      readonly limit?: number | undefined
    }
  | {
      readonly type: 'refused'
      readonly reason: Refusal
      /** After how many ms the caller may try again. */
      readonly retryAfter?: number
      /** How the nodes answered. */
      readonly text?: string
      readonly late?: number
    }
  /** A forced release has ended. */
  | { readonly type: 'forced' }
  | { readonly type: 'token asked' }
  | { readonly type: 'token'; readonly token: number }
  | { readonly type: 'read'; readonly n: number; readonly by: string | null }
  | { readonly type: 'extending' }
  | { readonly type: 'extended'; readonly validUntil: number }
  /** `grantedBy`: the indices of the nodes whose last reply about the lock granted it. */
  | { readonly type: 'lost'; readonly grantedBy?: readonly number[]; readonly late?: number }
  | { readonly type: 'writing'; readonly n: number }
  | { readonly type: 'written' }
  /** The guard has rejected the write. */
  | { readonly type: 'stale' }
  /** Not written, because the lock was no longer held. */
  | { readonly type: 'skipped' }
  | { readonly type: 'failed'; readonly reason: string; readonly late?: number }
  | { readonly type: 'releasing' }
  | { readonly type: 'released'; readonly result: string }

/** A step of an operation of a client. */
export type ClientRecord = Step & {
  readonly at: number
  /** The process, with its generation. */
  readonly process: string
  /** The operation: its process, its client there and its number, such as `node-1.1/7#3`. */
  readonly op: string
}
