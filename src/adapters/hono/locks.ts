/** @ts-ignore -- hono is optional: without it, `edge-redlock/idempotency` still has its other types. */
import type { Context, Env, MiddlewareHandler } from 'hono'
import type { RequestRejection } from '../../requests/rejections.ts'
import type { AnyEnv } from './key-context.ts'
import type { LockVariables } from './adapter.ts'
import { lock, type LockOptions } from './lock.ts'
import { throttle, type ThrottleOptions } from './throttle.ts'

/**
 * Options shared by all routes of an app. The options of a route take precedence.
 *
 * @typeParam E - The Env of the app, which types the contexts of all routes. Default: the Env of `redlock`.
 */
export type AppDefaults<E extends Env = AnyEnv> = Pick<
  LockOptions<E>,
  'redlock' | 'strategy' | 'failOpen' | 'waitUntil'
> & {
  /** Returns the response to a rejected request, or undefined for the default. */
  readonly onRejected?: (
    rejection: RequestRejection,
    c: Context,
  ) => Response | undefined | Promise<Response | undefined>
}

/** The options that a route still has to set: those without a default. */
type Rest<Options, Default extends string> = Omit<Options, Default> &
  Partial<Pick<Options, Default & keyof Options>>

/** The middleware of one app. */
export type AppLocks<E extends Env = AnyEnv> = {
  /** Creates the `lock()` middleware of a route from the options of the route. */
  readonly lock: (
    options: Rest<LockOptions<E>, 'redlock'>,
  ) => MiddlewareHandler<{ Variables: LockVariables }>
  /** Creates the `throttle()` middleware of a route. */
  readonly throttle: (options: Rest<ThrottleOptions<E>, 'redlock'>) => MiddlewareHandler
}

/**
 * Creates the `lock()` and `throttle()` functions of one app, so that its routes need not repeat the client and their
 * types. `locks()` from `edge-redlock/idempotency` also creates `idempotent()`.
 *
 * @param defaults - The client, and other options shared by all routes.
 * @returns The middleware of the app.
 * @example
 * ```ts
 * type AppEnv = { Bindings: { REDLOCK_NODES: string }; Variables: { userId: string } }
 * const { lock, throttle } = locks<AppEnv>({ redlock: (c) => fromEnv(c.env) })
 *
 * app.post('/submit', throttle({ key: (c) => lockKey('submit', c.var.userId), window: 5_000 }), submit)
 * app.post('/grade/:id', lock({ key: (c) => lockKey('grade', c.req.param('id')) }), grade)
 * ```
 */
export const locks = <E extends Env = AnyEnv>(defaults: AppDefaults<E>): AppLocks<E> => ({
  lock: (options) => lock<E>({ ...defaults, ...options }),
  throttle: (options) => throttle<E>({ ...defaults, ...options }),
})
