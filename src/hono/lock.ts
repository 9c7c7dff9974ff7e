import type { MiddlewareHandler } from 'hono'
import { afterBody } from '../http/after-body.ts'
import { background } from '../http/background.ts'
import { checkKeepAlive, type KeepAliveOptions } from '../keep-alive.ts'
import type { Lock } from '../lock.ts'
import { checkRequestOptions, forRequest, type RequestOptions, waitUntilOf } from './context.ts'
import { refuse, type RefusalOptions } from './response.ts'

/** What `lock()` puts into the context: undefined where `key` skipped the request. */
export type LockVariables = { lock: Lock | undefined }

export type LockOptions = RequestOptions &
  RefusalOptions &
  KeepAliveOptions & {
    /** Ms the lock lives unless it is extended, which it is while the request runs. */
    readonly ttl?: number
    /** Ms to wait for the lock at most. Default 0: answer at once. */
    readonly wait?: number
  }

/**
 * Lock Middleware for Hono: at most one request per key runs at a time.
 *
 * The lock is held until the response body has ended, extended for as long as that takes, and
 * then released, also when the handler throws or the client disconnects.
 *
 * @param {LockOptions} options - The options of the middleware.
 * @param {Redlock} options.redlock - The `Redlock`, or a function of the context.
 * @param {string} options.key - What to lock, or a function of the context; undefined skips.
 * @param {number} [options.wait=0] - Ms to wait for the lock at most.
 * @returns {MiddlewareHandler} The middleware handler function. It answers 409 when the lock is
 * held and 503 when too few nodes can be reached, both with `Retry-After` and problem+json.
 *
 * @example
 * ```ts
 * const app = new Hono()
 * const redlock = (c: Context) => Redlock.fromEnv(c.env)
 *
 * app.post('/grade/:id', lock({ redlock, key: (c) => lockKey('grade', c.req.param('id')!) }), (c) => {
 *   c.var.lock?.signal // aborts when the lock is lost
 *   return c.text('graded')
 * })
 * ```
 */
export const lock = (options: LockOptions): MiddlewareHandler<{ Variables: LockVariables }> => {
  const { ttl, wait = 0 } = options
  checkRequestOptions(options)
  const limits = checkKeepAlive(options)
  return async function lock(c, next) {
    const key = await forRequest(c, options.key)
    if (key === undefined) return next()
    const redlock = await forRequest(c, options.redlock)
    const work = background(waitUntilOf(c))
    const result = await redlock.obtain(key, { ttl, wait, waitUntil: work.add })
    if (!result.ok) {
      await work.settled()
      return refuse(c, result, options, 409)
    }

    const { lock } = result
    // Registered before the handler runs: on a disconnect workerd drops what nobody waits for, and
    // with it the release. https://github.com/cloudflare/workerd/issues/5062
    let released!: () => void
    if (work.isKept) work.add(new Promise<void>((resolve) => (released = resolve)))
    const release = async (): Promise<void> => {
      const releasing = lock.release()
      if (work.isKept) void releasing.then(released)
      else await releasing
    }

    const outer = c.get('lock')
    c.set('lock', lock)
    lock.keepAlive(limits)
    try {
      // Resolves for an Error too: Hono has made it a response by then. Other values are thrown on.
      await next()
      c.set('lock', outer)
      const response = await afterBody(c.req.raw, c.res, release)
      // Not where it is the same: assigning makes a new Response, which a 101 cannot be.
      if (response !== c.res) c.res = response
    } catch (error) {
      await release()
      throw error
    }
    return undefined
  }
}
