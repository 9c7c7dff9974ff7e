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
 * Turns values into bytes and back, for example to encrypt them. An error of `decode` rejects the call that
 * reads the value.
 */
export type Codec<T> = {
  readonly encode: (value: T) => Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>
  readonly decode: (bytes: Uint8Array<ArrayBuffer>) => T | Promise<T>
}

/** Options of `once`. All times are in ms. */
export type OnceOptions<T> = KeepAliveOptions & {
  /**
   * How long the value is kept after the run: from 1,000, or 0. With 0 it is there for half a second, for the calls
   * that wait for it, and a later call runs again. All calls of a key should have the same.
   */
  readonly keepFor: number
  /** The longest time to wait for the run of another call. Default: 15,000. 0: do not wait. */
  readonly wait?: number | undefined
  /**
   * How long the key stays taken if the process that runs dies; it is extended while the run lasts. Default:
   * the `ttl` of the `Redlock`.
   */
  readonly ttl?: number | undefined
  /**
   * What later calls get after a run that has thrown an error. `'retry'` (default): they run again. `'replay'`: a
   * `ReplayedError` with the name and the message of the error, for `keepFor`.
   */
  readonly failures?: 'retry' | 'replay' | undefined
  /**
   * `redirect` of `@sveltejs/kit`, for runs in a form action that redirect: SvelteKit recognises only what its own
   * function throws. Other frameworks need none.
   */
  readonly redirect?:
    | ((status: 300 | 301 | 302 | 303 | 307 | 308, location: string) => unknown)
    | undefined
  /** Turns the value into bytes and back. Default: JSON, which rejects a value that it does not keep. */
  readonly codec?: Codec<T> | undefined
  /**
   * Keeps values of more than 16,384 bytes: `kvStore`, `r2Store`, `d1Store` or `bodyStore` of your own. Without one, a
   * value may have up to 32,768 bytes.
   */
  readonly store?: BodyStore | undefined
  /**
   * Whether to run without a lock in an outage, after `wait`: a majority of the nodes has failed, or has not answered
   * within its timeout, and no node names a call that holds the key. Each such run is reported to `onEvent` of the
   * `Redlock` as `failed-open`, gets no lock, and its value is not stored. Another call may run at the same time: one
   * that runs without a lock as well, or whose lock only nodes know that have failed. A `wait` that is shorter than
   * the nodes take is no outage: the call throws a `LockedError`. Default false: in an outage, the call throws a
   * `QuorumError`.
   */
  readonly failOpen?: boolean | undefined
  /** Cancels the call while it waits. A run that has begun goes on; stop it with a signal of your own. */
  readonly signal?: AbortSignal | undefined
  /** Receives the work that may outlast the caller: the run itself, and requests after it. */
  readonly waitUntil?: WaitUntil | undefined
}

/** Values that JSON does not keep, as far as types can tell them from data. */
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

/** Requires a `codec` for a value that JSON does not keep. */
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
  // Checked with their defaults.
  maxHold: undefined,
  maxExtensions: undefined,
  // Checked with those of the `Redlock`.
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
  // Checked by the claim.
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
