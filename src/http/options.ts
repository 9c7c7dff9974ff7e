import type { Refusal } from '../reports/results.ts'
import { checkKeys } from '../protocol/keys.ts'
import type { Redlock } from '../redlock.ts'
import { checkFunctions, expect } from '../util/validate.ts'
import type { WaitUntil } from '../options/call-options.ts'

/** A value, or a function that takes it from the request: bindings exist only there. */
export type PerRequest<T, Args extends readonly unknown[]> =
  | T
  | ((...request: Args) => T | Promise<T>)

/** The resource(s) of one request; undefined where there is nothing to lock. */
export type RequestKey = string | readonly string[] | undefined

/** What lock and throttle have in common. `Args` is what a request is shown as. */
export type RequestOptions<Args extends readonly unknown[]> = {
  /** The `Redlock`, or a function of the request, since bindings exist only there. */
  readonly redlock: PerRequest<Redlock, Args>
  /** The resource(s) of a request. A function may return undefined to let the request pass. */
  readonly key:
    | string
    | readonly string[]
    | ((...request: Args) => RequestKey | Promise<RequestKey>)
  /** Answers when somebody else holds the lock or the window. Default: 409, a throttle 429. */
  readonly onLocked?: (...request: [...Args, result: Refusal]) => Response | Promise<Response>
  /** Answers when too few nodes can be reached. Default: 503. */
  readonly onUnavailable?: (...request: [...Args, result: Refusal]) => Response | Promise<Response>
  /**
   * True to let requests pass, without a lock, when too few nodes can be reached; `onEvent` of the
   * `Redlock` is told. Default: false, they are refused.
   */
  readonly failOpen?: boolean
  /**
   * The `waitUntil` of a request, for platforms whose own is not found: those other than Workers,
   * Vercel and whoever passes a context with one.
   */
  readonly waitUntil?: (...request: Args) => WaitUntil | undefined
}

/** Checks once what would else pass every request, or fail every one. */
export const checkRequestOptions = <Args extends readonly unknown[]>(
  options: RequestOptions<Args>,
): void => {
  const { redlock, key, failOpen = false } = Object(options) as RequestOptions<Args>
  const isClient = typeof redlock === 'function' || typeof redlock?.throttle === 'function'
  expect(isClient, 'redlock', 'a Redlock, or a function of the request', redlock)
  if (typeof key !== 'function') checkKeys(key)
  expect(typeof failOpen === 'boolean', 'failOpen', 'true or false', failOpen)
  for (const [option, given] of Object.entries(options)) {
    if (/^(on|keepIf|waitUntil)/.test(option) && given) checkFunctions({ [option]: given })
  }
}

/** Resolves an option for this request. */
export const forRequest = async <T, Args extends readonly unknown[]>(
  option: PerRequest<T, Args>,
  request: Args,
): Promise<T> =>
  typeof option === 'function'
    ? (option as (...request: Args) => T | Promise<T>)(...request)
    : option
