import type { Lock } from '../lock/lock.ts'
import {
  type KeepAliveLimits,
  keepAliveLimits,
  type KeepAliveOptions,
} from '../options/keep-alive-options.ts'
import { checkText } from '../protocol/keys.ts'
import { checkChoice, checkDelay, checkTime, minTtl } from '../util/validate.ts'
import { onBodyEnd } from './body-end.ts'
import { checkRequestOptions, type PerRequest, type RequestOptions } from './options.ts'
import type { RequestScope } from './request-scope.ts'
import { withRequest } from './with-request.ts'

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

const checks = {
  ttl: (option: string, given: number) => checkTime(option, given, minTtl),
  wait: checkDelay,
  metadata: (option: string, given: unknown) =>
    typeof given === 'function' || checkText(option, given),
  releaseAfter: checkChoice('response', 'body'),
  maxHold: undefined,
  maxExtensions: undefined,
}

/** Checks options once, when the middleware is created, rather than at its first request. */
export const checkLockOptions = <Args extends readonly unknown[]>(
  call: string,
  options: LockOptions<Args>,
): KeepAliveLimits => {
  checkRequestOptions(call, options, checks)
  return keepAliveLimits(options)
}

/**
 * Answers a request by `run` while holding a lock, or refuses it. The lock is released once the
 * response body has ended, also when `run` fails or the client disconnects.
 *
 * @param limits - How long and how often the lock may be extended.
 * @param onEnd - Called when no more of the response will be produced, before a lock is released.
 */
export const runLocked = <Args extends readonly unknown[], T>(
  scope: RequestScope<Args, LockOptions<Args>>,
  limits: KeepAliveLimits,
  run: (lock: Lock | undefined) => Promise<T>,
  onEnd?: () => void,
): Promise<T | Response> => {
  const { options, request, platform } = scope
  const { ttl } = options
  // Neither the wait nor the lock may outlast the function.
  const maxHold = (): number => Math.max(0, Math.min(limits.maxHold, platform.remainingTime()))
  const runOnce = (lock: Lock | undefined): Promise<T> =>
    lock ? run(lock) : run(lock).finally(onEnd)
  return withRequest(scope, runOnce, {
    name: 'lock',
    passed: 'acquired',
    enter: (redlock, key, call, held) => {
      const wait = Math.min(options.wait ?? 0, maxHold())
      // A client that disconnects stops waiting.
      const signal = wait > 0 ? request?.signal : undefined
      return redlock.acquireOrReenter(key, { ...call, ttl, wait, signal, maxHold }, held)
    },
    problem: [409, 'Conflict', 'Another request is being processed. Please try again in a moment.'],
    answer: async (result, handle, send, finish, held) => {
      const lock = result.lock!
      held.push(lock)
      let releasing: Promise<unknown> | undefined
      const end = (): Promise<unknown> => {
        held.splice(held.lastIndexOf(lock), 1)
        onEnd?.()
        return finish(lock.release())
      }
      const release = (): Promise<unknown> => (releasing ??= end())
      try {
        lock.keepAlive({ ...limits, maxHold: maxHold() })
        const made = await handle(lock)
        const response = send(made)
        if (!scope.isComplete?.(made) && options.releaseAfter !== 'response') {
          return await onBodyEnd(request, response, lock, release)
        }
        await release()
        return response
      } catch (error) {
        await release()
        throw error
      }
    },
  })
}
