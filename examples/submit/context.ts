import type { Context } from 'hono'
import { Redlock } from 'edge-redlock'

/** The bindings of the Worker: a secret with the nodes. */
export type Env = { Bindings: { REDLOCK_NODES: string } }

/** Creates the client per request, since bindings exist only there. That costs no request to Redis. */
export const redlock = (c: Context<Env>): Redlock => Redlock.fromEnv(c.env)
