import type { Lock } from '../lock/lock.ts'
import {
  checkKeepAlive,
  type KeepAliveLimits,
  type KeepAliveOptions,
  keepAliveOptions,
} from '../options/keep-alive-options.ts'
import { checkText } from '../protocol/keys.ts'
import {
  assertOption,
  checkDelay,
  checkInteger,
  checkTime,
  maxLimit,
  minTtl,
} from '../util/validate.ts'
import { backgroundOf } from './background.ts'
import { onBodyEnd } from './body-end.ts'
import { clientAndKey } from './client-and-key.ts'
import { checkRequestOptions, forRequest, type PerRequest, type RequestOptions } from './options.ts'
import { refuse } from './refuse.ts'
import { callWithin, locksOf } from './request-locks.ts'
import type { RequestScope } from './request-scope.ts'
import { serverTiming } from './server-timing.ts'
import { withHeaders } from './with-headers.ts'

export type LockOptions<
  Args extends readonly unknown[],
  RedlockArgs extends readonly unknown[] = Args,
  KeyArgs extends readonly unknown[] = Args,
> = RequestOptions<Args, RedlockArgs, KeyArgs> &
  KeepAliveOptions & {
    /**
     * How long the lock lives unless it is extended, in ms; it is extended while the request runs.
     * Default: the `ttl` of the `Redlock`.
     */
    readonly ttl?: number
    /**
     * How many requests may hold the lock at the same time. It needs `withSlots` of `edge-redlock/slots`.
     * Default: 1.
     */
    readonly limit?: number
    /** Maximum time to wait for the lock, in ms. Default 0: refuse at once. */
    readonly wait?: number
    /** Describes the holder to other clients, at most 4,096 characters. Must not contain secrets. */
    readonly metadata?: PerRequest<string, Args>
    /** When to release: once the `body` has ended (default), or before the `response` is sent. */
    readonly releaseAfter?: 'response' | 'body'
  }

const lockOptions = ['ttl', 'limit', 'wait', 'metadata', 'releaseAfter', ...keepAliveOptions]

/** Checks options once, when the middleware is created, rather than at its first request. */
export const checkLockOptions = <Args extends readonly unknown[]>(
  call: string,
  options: LockOptions<Args>,
): KeepAliveLimits => {
  checkRequestOptions(call, options, lockOptions)
  const { ttl = minTtl, limit = 1, wait = 0, metadata = '', releaseAfter = 'body' } = options
  if (typeof metadata !== 'function') checkText('metadata', metadata)
  checkTime('ttl', ttl, minTtl)
  checkDelay('wait', wait)
  checkInteger('limit', limit, 1, maxLimit)
  const fits = releaseAfter === 'response' || releaseAfter === 'body'
  assertOption(fits, 'releaseAfter', `'response' or 'body'`, releaseAfter)
  return checkKeepAlive(options)
}

/**
 * Answers a request by `run` while holding a lock, or refuses it. The lock is released once the
 * response body has ended, also when `run` fails or the client disconnects.
 *
 * @param limits - How long and how often the lock may be extended.
 * @param onEnd - Called when no more of the response will be produced, before the lock is released.
 */
export const runLocked = async <Args extends readonly unknown[], T>(
  scope: RequestScope<Args, LockOptions<Args>>,
  limits: KeepAliveLimits,
  run: (lock: Lock | undefined) => Promise<T>,
  onEnd?: () => void,
): Promise<T | Response> => {
  const { options, args, ids, request, platform } = scope
  const { ttl, limit, failOpen } = options
  const heldLocks = locksOf(ids)
  const runWith = (lock: Lock | undefined): Promise<T> => callWithin(heldLocks, () => run(lock))
  const [redlock, key] = await clientAndKey(scope)
  if (key === null) return runWith(undefined)
  const metadata = await forRequest(options.metadata, args)
  // Neither the wait nor the lock may outlast the function.
  const maxHold = (): number => Math.max(0, Math.min(limits.maxHold, platform.remainingTime()))
  const wait = Math.min(options.wait ?? 0, maxHold())
  // A client that disconnects stops waiting.
  const signal = wait > 0 ? request?.signal : undefined
  const background = backgroundOf(scope)
  const call = { ttl, limit, wait, metadata, failOpen, signal, maxHold, waitUntil: background.add }
  const timing = serverTiming(options.serverTiming)
  const result = await redlock.acquireOrReenter(key, call, heldLocks)
  const took = timing('lock', result.ok ? 'acquired' : result.reason)
  if (!result.ok) {
    try {
      const pass = (): Promise<T> => runWith(undefined)
      return withHeaders(await refuse(scope, result, { kind: 'locked', pass }), took)
    } finally {
      await background.settled()
    }
  }

  const { lock } = result
  heldLocks.push(lock)
  const finish = background.holdOpen()
  let releasing: Promise<unknown> | undefined
  const release = (): Promise<unknown> => {
    if (!releasing) {
      heldLocks.splice(heldLocks.lastIndexOf(lock), 1)
      onEnd?.()
    }
    return (releasing ??= finish(lock.release()))
  }

  try {
    lock.keepAlive({ ...limits, maxHold: maxHold() })
    const made = await runWith(lock)
    const isComplete = scope.isComplete?.(made) ?? false
    const response = withHeaders(made, took, isComplete)
    if (isComplete || options.releaseAfter === 'response') {
      await release()
      return response
    }
    const answer = await onBodyEnd(request, response, lock, release)
    if (platform.freezes) {
      // A body that fits the buffer has ended by the next task, even if it is never sent.
      await new Promise((resolve) => setTimeout(resolve))
      await releasing
    }
    return answer
  } catch (error) {
    await release()
    throw error
  }
}
