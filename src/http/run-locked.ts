import {
  checkKeepAlive,
  type KeepAliveLimits as Limits,
  type KeepAliveOptions,
} from '../options/keep-alive-options.ts'
import type { Lock } from '../lock/lock.ts'
import { checkText } from '../protocol/keys.ts'
import { checkInteger, checkNumber, expect, leastTtl } from '../util/validate.ts'
import { background } from './background.ts'
import { afterBody } from './body-end.ts'
import { checkRequestOptions, forRequest, type PerRequest, type RequestOptions } from './options.ts'
import type { Exchange } from './platform.ts'
import { refuse } from './refuse.ts'

export type LockOptions<Args extends readonly unknown[]> = RequestOptions<Args> &
  KeepAliveOptions & {
    /** Ms the lock lives unless it is extended, which it is while the request runs. */
    readonly ttl?: number
    /** Ms to wait for the lock at most. Default 0: answer at once. */
    readonly wait?: number
    /** Who holds it, for others to see. No secrets. */
    readonly metadata?: PerRequest<string, Args>
    /** When the lock is given back: when the `body` has ended (default), or is about to begin. */
    readonly releaseAfter?: 'response' | 'body'
  }

/** Checks at mount what would else fail every request. */
export const checkLockOptions = <Args extends readonly unknown[]>(
  options: LockOptions<Args>,
): Limits => {
  checkRequestOptions(options)
  const { ttl = leastTtl, wait = 0, metadata = '', releaseAfter = 'body' } = options
  if (typeof metadata !== 'function') checkText('metadata', metadata)
  checkInteger('ttl', ttl, leastTtl)
  checkNumber('wait', wait, 0)
  const fits = /^(response|body)$/.test(releaseAfter)
  expect(fits, 'releaseAfter', `'response' or 'body'`, releaseAfter)
  return checkKeepAlive(options)
}

// The locks that a request holds, so that what is nested takes them again.
const heldBy = new WeakMap<object, Lock[]>()

/**
 * Runs what answers a request while holding the lock; or refuses. The lock is released when the
 * answer is out, whatever becomes of it.
 */
export const runLocked = async <Args extends readonly unknown[], T>(
  options: LockOptions<Args>,
  limits: Limits,
  request: Args,
  exchange: Exchange,
  run: (lock: Lock | undefined) => Promise<T>,
): Promise<T | Response> => {
  const { ttl, failOpen, releaseAfter } = options
  const key = await forRequest(options.key, request)
  if (key === undefined) return run(undefined)
  const redlock = await forRequest(options.redlock, request)
  const metadata = await forRequest(options.metadata, request)
  // No lock is held, and no wait lasts, for longer than the function.
  const maxHold = (): number => Math.max(0, Math.min(limits.maxHold, exchange.remaining()))
  const wait = Math.min(options.wait ?? 0, maxHold())
  // Who has gone need not wait any longer.
  const signal = wait > 0 ? exchange.request?.signal : undefined
  const work = background(options, request, exchange)
  const held = heldBy.get(exchange.id) ?? []
  heldBy.set(exchange.id, held)
  const call = { ttl, wait, metadata, failOpen, signal, maxHold, waitUntil: work.add }
  const result = await redlock.obtain(key, call, held)
  if (!result.ok) {
    return refuse(options, request, exchange, work, result, async () => run(undefined), 409)
  }

  const { lock } = result
  held.push(lock)
  const end = work.open()
  let releasing: Promise<unknown> | undefined
  const release = (): Promise<unknown> => {
    if (!releasing) held.splice(held.lastIndexOf(lock), 1)
    return (releasing ??= end(lock.release()))
  }

  try {
    lock.keepAlive({ ...limits, maxHold: maxHold() })
    const response = await run(lock)
    if (releaseAfter === 'response') {
      await release()
      return response
    }
    const answer = await afterBody(exchange.request, response, lock, release)
    if (exchange.freezes) {
      // A short body has ended by the next turn, also one that is not going to be sent.
      await new Promise((resolve) => setTimeout(resolve))
      await releasing
    }
    return answer
  } catch (error) {
    await release()
    throw error
  }
}
