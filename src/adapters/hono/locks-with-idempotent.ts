/** @ts-ignore -- hono is optional: without it, `edge-redlock/idempotency` still has its other types. */
import type { Env, MiddlewareHandler } from 'hono'
import type { AnyEnv } from './key-context.ts'
import type { LockVariables } from './adapter.ts'
import {
  type AppDefaults as Defaults,
  type AppLocks as Locks,
  locks as honoLocks,
} from './locks.ts'
import { idempotent, type IdempotentOptions } from './idempotent.ts'

/**
 * Options shared by all routes of an app, including idempotent ones. The options of a route take precedence.
 *
 * @typeParam E - The Env of the app, which types the contexts of all routes. Default: the Env of `redlock`.
 */
export type AppDefaults<E extends Env = AnyEnv> = Defaults<E> & Pick<IdempotentOptions<E>, 'scope'>

/** The middleware of one app. */
export type AppLocks<E extends Env = AnyEnv> = Locks<E> & {
  /** Creates the `idempotent()` middleware of a route. */
  readonly idempotent: (
    options?: Partial<IdempotentOptions<E>>,
  ) => MiddlewareHandler<{ Variables: LockVariables }>
}

/**
 * Creates the `lock()`, `throttle()` and `idempotent()` functions of one app, so that its routes need not repeat the
 * client and their types. For an app without idempotent requests, use `locks()` from `edge-redlock/hono`.
 *
 * @param defaults - The client, the `scope`, and other options shared by all routes.
 * @returns The middleware of the app.
 * @example
 * ```ts
 * type AppEnv = { Bindings: { REDLOCK_NODES: string }; Variables: { userId: string } }
 * const { throttle, idempotent } = locks<AppEnv>({
 *   redlock: (c) => fromEnv(c.env),
 *   scope: (c) => c.var.userId,
 * })
 *
 * app.post('/submit', throttle({ key: (c) => lockKey('submit', c.var.userId), window: 5_000 }), submit)
 * app.post('/orders', idempotent({ wait: 10_000 }), order)
 * ```
 */
export const locks = <E extends Env = AnyEnv>({
  scope,
  ...defaults
}: AppDefaults<E>): AppLocks<E> => {
  const { failOpen: _failOpen, strategy: _strategy, ...shared } = defaults
  return {
    ...honoLocks<E>(defaults),
    idempotent: (options) => idempotent<E>({ ...shared, scope, ...options }),
  }
}
