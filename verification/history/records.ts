// What clients did: the one format in which the simulation and the campaigns of chaos record it while they run, and
// which every check reads. Times are ms of one clock per history: simulated time, or the monotonic clock that all
// processes of a machine share.

/** What a call is about. */
export type Kind =
  /** A lock, alone or of one of several slots. */
  | 'lock'
  | 'slots'
  | 'throttle'
  /** A lock that clients ask for at the same moment. */
  | 'burst'
  /** A release of somebody else's lock. */
  | 'force'
  /** A lock on a counter behind a guard or not, and one that a single client uses. */
  | 'guarded'
  | 'plain'
  | 'private'

/** Why a call got nothing. */
export type Refusal = 'locked' | 'unavailable' | 'aborted'

/**
 * The steps of an operation, in this order. Each is written down before it is taken, or once its result is known. An
 * operation may end after any of them.
 *
 * `late`: the maximum delay of timers in the process since the last step, in ms, where it is measured.
 */
export type Step =
  | {
      readonly type: 'called'
      readonly kind: Kind
      readonly keys: readonly string[]
      /** How long the lock of a client in a burst is valid after it was asked for, in ms. */
      readonly validity?: number
      /** The beginning of the value that a release by force is to forget; any if there is none. */
      readonly holder?: string | undefined
    }
  | {
      readonly type: 'acquired'
      readonly validUntil: number
      /** The keys of its slot, where it has one. */
      readonly keys?: readonly string[]
      /** The secret of the lock, where several operations share it. */
      readonly lock?: string
      /** When the first request for the lock was sent, where that is known. */
      readonly askedAt?: number
      readonly late?: number
    }
  /** A throttle let it pass, for so many ms since its first request, or its call. `limit`: how many may, at once. */
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
  /** A release by force has ended. */
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
  /** Not written, since the lock was no longer held. */
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
