import type { WaitUntil } from '../options/call-options.ts'
import { checkKeys } from '../protocol/keys.ts'
import type { Redlock } from '../redlock.ts'
import {
  assertOption,
  type Checks,
  checkBoolean,
  checkFunction,
  checkInteger,
  checkOptions,
  maxLimit,
} from '../util/validate.ts'
import type { RefusalHandlers } from './problem-details.ts'

/** A value, or a function that computes it from the request: some platforms pass bindings only there. */
export type PerRequest<T, Args extends readonly unknown[]> =
  | T
  | ((...request: Args) => T | Promise<T>)

/** The resource or resources to lock for one request; null lets it pass without a lock. */
export type RequestKey = string | readonly string[] | null

/**
 * The options that lock and throttle share. `Args` are the arguments of their functions: the context
 * of Hono, or whatever a platform passes to a function. Those of `redlock` and `key` may have types of
 * their own, for an adapter that infers types from them.
 */
export type RequestOptions<
  Args extends readonly unknown[],
  RedlockArgs extends readonly unknown[] = Args,
  KeyArgs extends readonly unknown[] = Args,
> = RefusalHandlers<Args> & {
  /** The `Redlock`, or a function of the request, for platforms that pass bindings only there. */
  readonly redlock: PerRequest<Redlock, RedlockArgs>
  /**
   * The resource or resources of a request: text that is not empty, or a list of it. A function may
   * return null to let the request pass without a lock, which `onEvent` hears as `skipped`. Undefined
   * is an error.
   */
  readonly key:
    | string
    | readonly string[]
    | ((...request: KeyArgs) => RequestKey | Promise<RequestKey>)
  /**
   * Whether requests pass without a lock when too few nodes can be reached; each one is reported to
   * `onEvent` of the `Redlock`. Default false: such requests are refused.
   */
  readonly failOpen?: boolean
  /**
   * Returns the `waitUntil` of a request, for platforms where it is not found by itself. It is found
   * on Workers and Vercel, and wherever the context of a request has one.
   */
  readonly waitUntil?: (...request: Args) => WaitUntil | undefined
  /**
   * Whether responses report in `Server-Timing` how long the lock or the window took, and the outcome.
   * Default: false.
   */
  readonly serverTiming?: boolean
}

const checks = {
  redlock: undefined,
  key: undefined,
  limit: (option: string, given: number) => checkInteger(option, given, 1, maxLimit),
  failOpen: checkBoolean,
  serverTiming: checkBoolean,
  waitUntil: checkFunction,
  onLocked: checkFunction,
  onUnavailable: checkFunction,
}

/** The client that the option `redlock` is, or gave for a request. */
export const checkedRedlock = (redlock: Redlock): Redlock => {
  // It may be that of another copy of this package.
  const isRedlock = 'acquireOrReenter' in Object(redlock)
  assertOption(isRedlock, 'redlock', 'a Redlock, or to return one', redlock)
  return redlock
}

/**
 * Checks options once, when the middleware is created, rather than at its first request.
 *
 * @param own - The options that only this middleware has, and their checks.
 */
export const checkRequestOptions = <Args extends readonly unknown[]>(
  call: string,
  options: RequestOptions<Args>,
  own: Checks,
): void => {
  checkOptions(call, options, { ...checks, ...own })
  const { redlock, key } = options
  if (typeof redlock !== 'function') checkedRedlock(redlock)
  if (typeof key !== 'function') checkKeys(key)
}

/** The value of an option for this request. */
export const forRequest = <T, Args extends readonly unknown[]>(
  option: PerRequest<T, Args>,
  args: Args,
): T | Promise<T> =>
  typeof option === 'function' ? (option as (...request: Args) => T | Promise<T>)(...args) : option
