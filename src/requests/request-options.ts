import type { KeepAliveOptions, WaitUntil } from '../core/options/call-options.ts'
import { checkKeys } from '../protocol/keys.ts'
import { clientOf, type Redlock } from '../client/redlock.ts'
import {
  type OptionCheck,
  type OptionChecks,
  checkBoolean,
  checkDelay,
  checkFunction,
  checkInteger,
  checkObject,
  checkOptions,
  checkStrategy,
  checkTime,
  maxLimit,
  minTtl,
} from '../util/validate.ts'
import type { RejectionReason, Rejections, RequestRejection } from './rejections.ts'

/** A value, or a function that computes it from the request: some platforms pass bindings only there. */
export type PerRequest<T, Args extends readonly unknown[]> =
  | T
  | ((...request: Args) => T | Promise<T>)

/**
 * The options that all middleware has. `Args` are the arguments of the functions among them: the context of Hono, or
 * whatever a platform passes to a function. `RedlockArgs` are the arguments of `redlock`, from which an adapter may
 * infer other types.
 */
export type SharedOptions<
  Args extends readonly unknown[],
  Reason extends RejectionReason = RejectionReason,
  RedlockArgs extends readonly unknown[] = Args,
> = {
  /** The `Redlock`, or a function of the request, for platforms that pass bindings only there. */
  readonly redlock: PerRequest<Redlock, RedlockArgs>
  /** Other statuses for rejected requests, by reason. */
  readonly statuses?: Partial<Readonly<Record<Reason, number>>>
  /** Returns the response to a rejected request, or undefined for the default: problem+json with `Retry-After`. */
  readonly onRejected?: (
    rejection: RequestRejection<Reason>,
    ...request: Args
  ) => Response | undefined | Promise<Response | undefined>
  /**
   * Returns the `waitUntil` of a request, for platforms on which it is not found automatically. It is found on Workers
   * and Vercel, and wherever the context of a request has one.
   */
  readonly waitUntil?: (...request: Args) => WaitUntil | undefined
}

/** The resource or resources to lock for one request; null lets it pass without a lock. */
export type RequestKey = string | readonly string[] | null

/** A key that a request has to acquire. */
export type Key = Exclude<RequestKey, null>

/** The options that lock and throttle share. `KeyArgs` are the arguments of `key`. */
export type RequestOptions<
  Args extends readonly unknown[],
  Reason extends RejectionReason = RejectionReason,
  RedlockArgs extends readonly unknown[] = Args,
  KeyArgs extends readonly unknown[] = Args,
> = SharedOptions<Args, Reason, RedlockArgs> & {
  /**
   * The resource or resources of a request: non-empty text, or a list of it. A function may return null to let the
   * request pass without a lock, which is reported to `onEvent` as `skipped`. Undefined is an error.
   */
  readonly key:
    | string
    | readonly string[]
    | ((...request: KeyArgs) => RequestKey | Promise<RequestKey>)
  /**
   * How many requests may hold the lock simultaneously, or pass in the window. This requires `withSlots`. Default: 1.
   */
  readonly limit?: number
  /** Whether to ask all nodes simultaneously, or one first. Default: the `strategy` of the `Redlock`. */
  readonly strategy?: 'parallel' | 'frugal'
  /**
   * Whether requests pass without a lock in an outage: a majority of the nodes has failed, or has not answered within
   * its timeout. A `wait` must leave enough time for that timeout. Each of these requests is reported to `onEvent` of
   * the `Redlock`. Default: false, so they are rejected.
   */
  readonly failOpen?: boolean
}

/** The options of middleware that holds a lock while the request runs. */
export type HoldOptions = KeepAliveOptions & {
  /**
   * How long the lock lives without an extension, in ms. It is extended while the request runs. Default: the `ttl` of
   * the `Redlock`.
   */
  readonly ttl?: number
  /**
   * Maximum time to wait for the lock, or for the answer to the same request, in ms. Default: 0, so the request is
   * rejected immediately.
   */
  readonly wait?: number
}

/** A check of an option that may also be a function of the request. */
export const orFunction =
  (check: (option: string, given: never) => unknown): OptionCheck =>
  (option, given) => {
    if (typeof given !== 'function') check(option, given)
  }

const checkStatuses =
  (rejections: Rejections): OptionCheck =>
  (option, given: Readonly<Record<string, number>>) => {
    checkObject(option, 'an object', given)
    const set = checkOptions(option, given, Object.keys(rejections).join(', '))
    for (const [reason, status] of Object.entries(set)) {
      checkInteger(`${option}['${reason}']`, status, 400, 599)
    }
  }

export const keyChecks: OptionChecks = {
  key: (_, given) => {
    if (typeof given !== 'function') checkKeys(given)
  },
  limit: (option, given) => checkInteger(option, given, 1, maxLimit),
  strategy: checkStrategy,
  failOpen: checkBoolean,
}

export const holdChecks: OptionChecks = {
  ttl: (option, given) => checkTime(option, given, minTtl),
  wait: checkDelay,
  // `keepAliveLimits` checks these, together with their defaults.
  maxHold: undefined,
  maxExtensions: undefined,
}

/**
 * Checks options once, when the middleware is created, rather than at its first request.
 *
 * @param own - The checks of the options that only some middleware has.
 * @param required - The required options among them.
 * @returns the options that are set.
 */
export const checkRequestOptions = <Options extends object>(
  call: string,
  options: Options,
  rejections: Rejections,
  own: OptionChecks,
  ...required: string[]
): Options => {
  const checks: OptionChecks = {
    redlock: orFunction((_, given) => clientOf(given)),
    statuses: checkStatuses(rejections),
    onRejected: checkFunction,
    waitUntil: checkFunction,
    ...own,
  }
  const checked = checkOptions(call, options, checks)
  for (const name of ['redlock', ...required]) {
    checks[name]!(name, (options as Record<string, never>)[name]!)
  }
  return checked
}
