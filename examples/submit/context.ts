import type { Context } from 'hono'
import { fromEnv, type Redlock } from 'edge-redlock'
import { locks } from 'edge-redlock/idempotency'

/** The bindings of the Worker (a secret with the nodes), and the variable of its routes. */
export type Env = {
  Bindings: { REDLOCK_NODES: string }
  Variables: { user: string }
}

/** Creates the client on each request, because bindings are available only there. This sends no request to Redis. */
export const redlock = (c: Context<Env>): Redlock => fromEnv(c.env)

/** The middleware of the app, typed with its bindings and variables. */
export const { lock, throttle, idempotent } = locks<Env>({ redlock, scope: (c) => c.get('user') })
