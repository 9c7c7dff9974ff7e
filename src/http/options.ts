import type { WaitUntil } from '../options/call-options.ts'
import { checkKeys } from '../protocol/keys.ts'
import type { Redlock } from '../redlock.ts'
import { checkFunctions, assertOption } from '../util/validate.ts'
import type { RefusalHandlers } from './problem-details.ts'

/** A value, or a function that computes it from the request: some platforms pass bindings only there. */
export type PerRequest<T, Args extends readonly unknown[]> =
  | T
  | ((...request: Args) => T | Promise<T>)

/** The resource or resources to lock for one request; undefined if there is nothing to lock. */
export type RequestKey = string | readonly string[] | undefined

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
   * return undefined to let the request pass without a lock.
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
}

/** Checks options once, when the middleware is created, rather than at its first request. */
export const checkRequestOptions = <Args extends readonly unknown[]>(
  options: RequestOptions<Args>,
): void => {
  const { redlock, key, failOpen = false } = Object(options) as RequestOptions<Args>
  const isClient = typeof redlock === 'function' || typeof redlock?.throttle === 'function'
  assertOption(isClient, 'redlock', 'a Redlock, or a function of the request', redlock)
  if (typeof key !== 'function') checkKeys(key)
  assertOption(typeof failOpen === 'boolean', 'failOpen', 'true or false', failOpen)
  for (const [option, given] of Object.entries(options)) {
    if (/^(on|keepIf|waitUntil)/.test(option) && given) checkFunctions({ [option]: given })
  }
}

/** The value of an option for this request. */
export const forRequest = async <T, Args extends readonly unknown[]>(
  option: PerRequest<T, Args>,
  args: Args,
): Promise<T> =>
  typeof option === 'function' ? (option as (...request: Args) => T | Promise<T>)(...args) : option
