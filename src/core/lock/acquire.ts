import { createLock } from './held-lock.ts'
import { checkKeys, locks, type Namespace } from '../../protocol/keys.ts'
import { acquireRule } from '../rules/acquire.ts'
import { answered } from '../quorum.ts'
import { runCall } from '../call.ts'
import type { Acquisition } from '../acquisition.ts'
import type { Client } from '../process/client.ts'
import type { Lock } from './lock.ts'
import type { AcquireCallOptions } from '../options/call-options.ts'
import type { Rejection } from '../results/results.ts'

/** The result of `tryAcquire`, which returns contention as a value instead of throwing. */
export type AcquireResult = { readonly ok: true; readonly lock: Lock } | Rejection

/** A pass through a throttle, as a lock that can be released. `remaining`: as in `ThrottleResult`. */
export type WindowResult =
  | { readonly ok: true; readonly lock: Lock; readonly remaining?: number }
  | Rejection

/**
 * The result of `throttle`. `resetAfter`: ms until the pass no longer counts; `retryAfter`: ms until the next call can
 * pass. `remaining`: how many more calls can pass now, if there is a `limit`.
 */
export type ThrottleResult =
  | { readonly ok: true; readonly resetAfter: number; readonly remaining?: number }
  | Rejection

/** A client with the interceptors of its calls, outermost first. */
export type InterceptedClient = Client & { readonly interceptors: readonly Interceptor[] }

/** The options of a call inside the package. */
export type InterceptedOptions = AcquireCallOptions & {
  /** The window of a throttle, in ms. */
  readonly window?: number
  /** The locks that the HTTP request already holds. A call for one of them reenters it. */
  readonly held?: readonly Lock[] | undefined
}

/** One call of a client, before any check or request. */
export type InterceptedCall = {
  readonly operation: 'acquire' | 'throttle' | 'claim'
  readonly client: InterceptedClient
  readonly key: string | readonly string[]
  readonly options: InterceptedOptions
  /** Describes what the call requests from the nodes. Default: a lock on the key. */
  readonly acquisition?: Acquisition<WindowResult> | undefined
}

/**
 * Wraps the calls of a client. An interceptor can change a call, its client or its result, and can make the call more
 * than once.
 *
 * @param next - Makes the call.
 */
export type Interceptor = <Result extends object>(
  call: InterceptedCall,
  next: (call: InterceptedCall) => Promise<Result>,
) => Promise<Result>

/** Passes a call through the interceptors of its client, and finally to `run`. */
export const intercept = <Result extends object>(
  call: InterceptedCall,
  run: (call: InterceptedCall) => Promise<Result>,
): Promise<Result> =>
  call.client.interceptors.reduceRight<typeof run>(
    (next, interceptor) => (one) => interceptor(one, next),
    run,
  )(call)

/** The acquisition of a lock in this namespace. */
export const acquisitionFor = (namespace: Namespace): Acquisition<WindowResult> => ({
  namespace,
  rule: acquireRule,
  reports: answered,
  resultOf: (round) => ({ ok: true, lock: createLock(round) }),
})

const lockAcquisition = acquisitionFor(locks)

const run = ({ client, acquisition, key, options }: InterceptedCall): Promise<AcquireResult> => {
  const own = options.held?.find((lock) => lock.covers(checkKeys(key), client))
  if (own) return Promise.resolve({ ok: true, lock: own.reenter() })
  return runCall(client, acquisition ?? lockAcquisition, key, options)
}

/**
 * Tries to acquire the lock with the Redlock algorithm until it succeeds, or until `retry` or `wait` ends the call.
 *
 * @throws the signal's reason; nothing stays locked then.
 * @see {@link https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/}
 */
export const acquire = (
  client: InterceptedCall['client'],
  key: InterceptedCall['key'],
  options: InterceptedCall['options'],
): Promise<AcquireResult> => intercept({ operation: 'acquire', client, key, options }, run)
