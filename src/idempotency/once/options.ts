import type { KeepAliveOptions, WaitUntil } from '../../core/options/call-options.ts'
import { type BodyStore, checkStore } from '../stores/body-store.ts'
import {
  assertOption,
  checkBoolean,
  checkChoice,
  checkDelay,
  checkFunction,
  checkObject,
  checkOptions,
} from '../../util/validate.ts'

/**
 * Converts values to bytes and back, for example to encrypt them. If `decode` throws, the call that reads the value
 * rejects with that error.
 */
export type Codec<T> = {
  readonly encode: (value: T) => Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>
  readonly decode: (bytes: Uint8Array<ArrayBuffer>) => T | Promise<T>
}

/** Options of `once`. All times are in ms. */
export type OnceOptions<T> = KeepAliveOptions & {
  /**
   * How long the value is kept after the run: 0, or at least 1,000. With 0, the value is kept for half a second, for
   * the calls that are already waiting, and later calls run again. All calls for a key should use the same `keepFor`.
   */
  readonly keepFor: number
  /** The maximum time to wait for another call's run. 0 means no wait. Default: 15,000. */
  readonly wait?: number | undefined
  /**
   * How long the key stays locked if the process dies. The lock is extended during the run. Default: the `ttl` of the
   * `Redlock`.
   */
  readonly ttl?: number | undefined
  /**
   * The behavior of later calls after a run has thrown an error. `'retry'` (default): they run again. `'replay'`: for
   * `keepFor` ms, they throw a `ReplayedError` with the error's name and message.
   */
  readonly failures?: 'retry' | 'replay' | undefined
  /**
   * The `redirect` function of `@sveltejs/kit`, for form actions whose run redirects. SvelteKit accepts only redirects
   * that this function throws. Other frameworks do not need this option.
   */
  readonly redirect?:
    | ((status: 300 | 301 | 302 | 303 | 307 | 308, location: string) => unknown)
    | undefined
  /** Converts the value to bytes and back. Default: JSON, which rejects a value that it cannot preserve. */
  readonly codec?: Codec<T> | undefined
  /**
   * The store for values larger than 16,384 bytes: `kvStore`, `r2Store`, `d1Store` or your own `bodyStore`. Without a
   * store, a value can have up to 32,768 bytes.
   */
  readonly store?: BodyStore | undefined
  /**
   * Whether to run without a lock in an outage, after `wait`. In an outage, a majority of the nodes has failed or timed
   * out, and no node reports a call that holds the key. The run receives no lock, and its value is not stored. The
   * `onEvent` of the `Redlock` reports it as `failed-open`. Another call can run at the same time, either without a lock
   * or with one that exists only on failed nodes. If `wait` ends before the nodes time out, this is not an outage, and
   * the call throws a `LockedError`. Default: false, so the call throws a `QuorumError` in an outage.
   */
  readonly failOpen?: boolean | undefined
  /** Cancels the call while it waits. A run that has started continues; use your own signal to stop it. */
  readonly signal?: AbortSignal | undefined
  /** Receives work that can outlive the caller: the run, and the requests that follow it. */
  readonly waitUntil?: WaitUntil | undefined
}

/** The types of values that JSON does not preserve. Other values are checked at run time. */
type LostInJson =
  | Response
  | Request
  | ReadableStream
  | Blob
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | ArrayBuffer
  | ArrayBufferView
  | bigint
  | symbol
  | ((...given: never) => unknown)

/** Requires a `codec` for values that JSON does not preserve. */
export type CodecFor<T> = 0 extends 1 & T
  ? unknown
  : [Extract<T, LostInJson>] extends [never]
    ? unknown
    : { readonly codec: Codec<T> }

/** Options of `forget`. */
export type ForgetOptions = Pick<OnceOptions<unknown>, 'wait' | 'signal' | 'waitUntil'>

/** The shortest time that a record lives on the nodes. */
const minKeepFor = 1_000

const checks = {
  keepFor: (option: string, given: number) => {
    const fits = given === 0 || (Number.isInteger(given) && given >= minKeepFor && given <= 2 ** 47)
    assertOption(fits, option, `an integer of milliseconds from ${minKeepFor}, or 0`, given)
  },
  wait: checkDelay,
  // `keepAliveLimits` checks the next two, together with their defaults.
  maxHold: undefined,
  maxExtensions: undefined,
  // `onceKey` checks `ttl` against the options of the `Redlock`, such as `maxTtl`.
  ttl: undefined,
  codec: (option: string, given: Codec<unknown>) => {
    checkObject(option, 'an object', given)
    checkFunction(`${option}.encode`, given.encode)
    checkFunction(`${option}.decode`, given.decode)
  },
  store: checkStore,
  failures: checkChoice('retry', 'replay'),
  redirect: checkFunction,
  failOpen: checkBoolean,
  // The claim checks the next two.
  signal: undefined,
  waitUntil: undefined,
}

/** Checks the options of `once`. */
export const checkOnceOptions = <T>(options: OnceOptions<T>): void => {
  checkOptions('once()', options, checks)
  checks.keepFor('keepFor', options.keepFor)
}

/** Checks the options of `forget`. */
export const checkForgetOptions = (options: ForgetOptions): void => {
  checkOptions('forget()', options, 'wait, signal, waitUntil')
}
