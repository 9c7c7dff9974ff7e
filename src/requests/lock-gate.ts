import { acquire } from '../core/lock/acquire.ts'
import { keepAliveLimits } from '../core/options/call-options.ts'
import { checkKeys, checkText } from '../protocol/keys.ts'
import { worthRetryAfter } from '../core/results/results.ts'
import { stopwatch } from '../util/clock.ts'
import { checkChoice, warnOfSeconds } from '../util/validate.ts'
import { holdOf } from './background.ts'
import { onBodyEnd } from './body-end.ts'
import { lendBody } from './lend-body.ts'
import { loseIfGoesOn } from './client-gone.ts'
import { lockRejections, type LockReason } from './rejections.ts'
import {
  checkRequestOptions,
  holdChecks,
  type HoldOptions,
  keyChecks,
  orFunction,
  type PerRequest,
  type RequestOptions,
} from './request-options.ts'
import { forRequest, type Gate, keyedGate, setEndAside } from './with-request.ts'

export type LockGateOptions<
  Args extends readonly unknown[],
  RedlockArgs extends readonly unknown[] = Args,
  KeyArgs extends readonly unknown[] = Args,
> = RequestOptions<Args, LockReason, RedlockArgs, KeyArgs> &
  HoldOptions & {
    /**
     * Describes the holder to other clients, in at most 4,096 characters. Must not contain secrets. Default: the
     * request's method, path and ID. Pass '' if paths contain secrets.
     */
    readonly metadata?: PerRequest<string, Args>
    /** When to release the lock: once the `body` has ended (default), or before the `response` is sent. */
    readonly releaseAfter?: 'response' | 'body'
  }

const checks = {
  ...keyChecks,
  ...holdChecks,
  metadata: orFunction(checkText),
  releaseAfter: checkChoice('response', 'body'),
}

// The headers in which Cloudflare, Vercel and most proxies send a request ID.
const idHeaders = ['cf-ray', 'x-vercel-id', 'x-request-id']

// The maximum lengths in a description, in characters.
const [maxPath, maxDescription] = [120, 200]

/** Describes a request to clients that inspect the holder of its lock. */
const described = ({ method, url, headers }: Request): string => {
  const id = idHeaders.map((name) => headers.get(name)).find(Boolean) ?? ''
  const what = [method, new URL(url).pathname.slice(0, maxPath), id].join(' ')
  return what
    .replace(/[^ -~]/g, '?')
    .slice(0, maxDescription)
    .trim()
}

/**
 * Lets one request per key run at a time. Its lock is released once the response body has ended, even if the handler
 * fails or the client disconnects.
 *
 * @param call - The name of the public function that received the options, for error messages.
 */
export const lockGate = <Args extends readonly unknown[]>(
  call: string,
  options: LockGateOptions<Args>,
): Gate<Args> => {
  checkRequestOptions(call, options, lockRejections, checks, 'key')
  const limits = keepAliveLimits(options)
  return keyedGate('lock', options, lockRejections, async (visit, key, client) => {
    const { scope, held, waitUntil } = visit
    warnOfSeconds(client, options)
    const { metadata: given = described(scope.request) } = options
    const reader = typeof given === 'function' ? scope.lent : undefined
    const metadata = await lendBody(reader, () => forRequest(given, scope.args))
    const hold = holdOf(scope, limits, options.wait)
    const elapsed = stopwatch(client.clock)
    const result = await acquire(client, key, { ...options, metadata, waitUntil, ...hold, held })
    if (!result.ok) {
      if (result.reason === 'unavailable') return result
      return { ...result, retryAfter: worthRetryAfter(result, elapsed()) }
    }
    const { lock } = result
    const isEntered = held.some((other) => other.covers(checkKeys(key), client))
    const takeBack = isEntered ? undefined : setEndAside(client)
    held.push(lock)
    const finish = visit.keepAlive()
    let releasing: Promise<unknown> | undefined
    const end = (): Promise<unknown> => {
      held.splice(held.lastIndexOf(lock), 1)
      scope.show?.(held.at(-1))
      takeBack?.()
      return finish(lock.release())
    }
    const release = (): Promise<unknown> => (releasing ??= end())
    try {
      lock.keepAlive({ ...limits, maxHold: hold.timeLeft() })
      let response = await visit.handle(lock)
      if (options.releaseAfter === 'response') await release()
      else response = await onBodyEnd(scope, response, lock, release)
      return { response, isOwn: true }
    } catch (error) {
      loseIfGoesOn(lock, error)
      await release()
      throw error
    }
  })
}
