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

/** A value, or a function that computes it from the request: some platforms pass bindings only with a request. */
export type PerRequest<T, Args extends readonly unknown[]> =
  | T
  | ((...request: Args) => T | Promise<T>)

/**
 * Options shared by all middleware. `Args` are the arguments that option functions receive: the Hono context, or the
 * arguments that the platform passes to a handler. `RedlockArgs` are the arguments of `redlock`; an adapter can infer
 * other types from them.
 */
export type SharedOptions<
  Args extends readonly unknown[],
  Reason extends RejectionReason = RejectionReason,
  RedlockArgs extends readonly unknown[] = Args,
> = {
  /** The `Redlock`, or a function that returns it for a request: some platforms pass bindings only with a request. */
  readonly redlock: PerRequest<Redlock, RedlockArgs>
  /** Custom statuses for rejected requests, by reason. */
  readonly statuses?: Partial<Readonly<Record<Reason, number>>>
  /** Returns the response to a rejected request, or undefined for the default: problem+json with `Retry-After`. */
  readonly onRejected?: (
    rejection: RequestRejection<Reason>,
    ...request: Args
  ) => Response | undefined | Promise<Response | undefined>
  /**
   * Returns the `waitUntil` of a request, for platforms on which it is not detected automatically. It is detected on
   * Workers and Vercel, and in any request context that has a `waitUntil` method.
   */
  readonly waitUntil?: (...request: Args) => WaitUntil | undefined
}

/** The resource or resources to lock for one request; null lets it pass without a lock. */
export type RequestKey = string | readonly string[] | null

/** A key for which a request has to acquire a lock or a pass. */
export type Key = Exclude<RequestKey, null>

/** Options shared by locks and throttles. `KeyArgs` are the arguments of `key`. */
export type RequestOptions<
  Args extends readonly unknown[],
  Reason extends RejectionReason = RejectionReason,
  RedlockArgs extends readonly unknown[] = Args,
  KeyArgs extends readonly unknown[] = Args,
> = SharedOptions<Args, Reason, RedlockArgs> & {
  /**
   * The resource or resources of a request: a non-empty string, or a list of strings. A function can return null to let
   * the request pass without a lock. `onEvent` then receives a `skipped` event. Undefined is an error.
   */
  readonly key:
    | string
    | readonly string[]
    | ((...request: KeyArgs) => RequestKey | Promise<RequestKey>)
  /**
   * How many requests can hold the lock simultaneously, or pass within the window. Requires `withSlots`. Default: 1.
   */
  readonly limit?: number
  /** Whether to contact all nodes simultaneously, or a single node first. Default: the `strategy` of the `Redlock`. */
  readonly strategy?: 'parallel' | 'frugal'
  /**
   * Whether requests pass without a lock in an outage, that is, when a majority of the nodes has failed or timed out.
   * If you set `wait`, make it longer than the timeout of a node. The `onEvent` of the `Redlock` reports each of these
   * requests. Default: false, so they are rejected.
   */
  readonly failOpen?: boolean
}

/** Options of middleware that holds a lock while the request runs. */
export type HoldOptions = KeepAliveOptions & {
  /**
   * How long the lock lives without an extension, in ms. The lock is extended while the request runs. Default: the
   * `ttl` of the `Redlock`.
   */
  readonly ttl?: number
  /**
   * The maximum time to wait for the lock, or for the response to the same request, in ms. Default: 0, so the request
   * is rejected immediately.
   */
  readonly wait?: number
}

/** Creates a check of an option, which accepts any function of the request and checks all other values. */
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
  // `keepAliveLimits` checks the next two, together with their defaults.
  maxHold: undefined,
  maxExtensions: undefined,
}

/**
 * Checks options when the middleware is created, rather than on the first request.
 *
 * @param own - Checks of the options that are specific to this kind of middleware.
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
