import type { Retry } from '../retry/retry.ts'
import { checkNumber, checkTime } from '../../util/validate.ts'

/** Limits on how long a lock is extended while work continues. */
export type KeepAliveOptions = {
  /** The maximum time to hold the lock, in ms, even if the work is not done. Default: 10 minutes. */
  readonly maxHold?: number | undefined
  /** The maximum number of extensions. Default: no limit other than `maxHold`. */
  readonly maxExtensions?: number | undefined
}

/** The same limits, checked and complete. */
export type KeepAliveLimits = { readonly maxHold: number; readonly maxExtensions: number }

/** Checks the options and adds the defaults. */
export const keepAliveLimits = ({
  maxHold = 600_000,
  maxExtensions = Infinity,
}: KeepAliveOptions): KeepAliveLimits => {
  checkTime('maxHold', maxHold)
  checkNumber('maxExtensions', maxExtensions, 0)
  return { maxHold, maxExtensions }
}

/** Receives a promise of work that continues after a call has returned. The promise never rejects. */
export type WaitUntil = (work: Promise<unknown>) => void

type CommonCallOptions = {
  /** Whether to ask all nodes simultaneously, or one first. Default: the `strategy` of the `Redlock`. */
  readonly strategy?: 'parallel' | 'frugal' | undefined
  /** Cancels the call at any point; nothing stays locked. */
  readonly signal?: AbortSignal | undefined
  /**
   * Receives each promise of work that continues after the call has returned, such as releasing the nodes of a failed
   * attempt. If the runtime drops this work, pass the runtime's function: `(work) => ctx.waitUntil(work)`. The promises
   * never reject.
   */
  readonly waitUntil?: WaitUntil | undefined
  /** Whether the caller continues without a lock in an outage, which is then reported as `failed-open`. @internal */
  readonly failOpen?: boolean | undefined
}

/** Options of `tryAcquire`. */
export type TryAcquireOptions = CommonCallOptions & {
  /** The time after which the lock expires unless it is extended, in ms. Default: the `ttl` of the `Redlock`. */
  readonly ttl?: number | undefined
  /**
   * A description of the holder, which other clients see in the `nodes` of a rejection and in `inspect`. At most 4,096
   * characters, and no secrets.
   */
  readonly metadata?: string | undefined
}

// These lists only catch unknown names. `validateCall` checks the values, including those that middleware passes on.

/** The names of the options of `tryAcquire`. */
export const tryAcquireOptions: string = 'ttl, metadata, limit, strategy, signal, waitUntil'

/** Options of `acquire`. */
export type AcquireOptions = TryAcquireOptions & {
  /** When to retry. Default: the `retry` of the `Redlock`. */
  readonly retry?: Retry | undefined
  /**
   * The maximum time of the call in ms, including its requests. It replaces the default limit on the number of tries.
   * 0 means one try, however long that takes.
   */
  readonly wait?: number | undefined
}

/** The names of the options of `acquire`. */
export const acquireOptions: string = `${tryAcquireOptions}, retry, wait`

/** Options of `using`. */
export type UsingOptions = AcquireOptions & KeepAliveOptions

/** The names of the options of `using`. */
export const usingOptions: string = `${acquireOptions}, maxHold, maxExtensions`

/** Options of a call inside the package. */
export type AcquireCallOptions = UsingOptions & {
  /** Returns how long the caller can still hold the lock, in ms. No wait and no TTL exceeds this time. */
  readonly timeLeft?: (() => number) | undefined
  /** The maximum number of simultaneous holders. Only `withSlots` supports this option. */
  readonly limit?: number | undefined
}

/** Options of `throttle`. */
export type ThrottleOptions = CommonCallOptions & {
  /** The length of the window in which one call passes, in ms. */
  readonly window: number
}

/** The option that `withSlots` adds to each call. */
export type SlotOptions = {
  /** The maximum number of simultaneous holders, or of passes per window: from 1 to 100. Default: 1. */
  readonly limit?: number | undefined
}

/** The options that `withSlots` adds to a throttle. */
export type SlotThrottleOptions = SlotOptions & {
  /** The maximum time in ms to wait for a pass. A call that cannot pass by then is rejected immediately. Default: 0. */
  readonly wait?: number | undefined
}

declare const slotted: unique symbol

/** Distinguishes the type of a `SlotRedlock`. No object has this property at runtime. */
export interface Slotted {
  readonly [slotted]: true
}
