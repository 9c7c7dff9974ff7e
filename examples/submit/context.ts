import type { Context } from 'hono'
import { Redlock } from '../../src/index.ts'

/** What the Worker is bound to: a secret with the nodes. */
export type Env = { Bindings: { REDLOCK_NODES: string } }

/** Bindings exist only in a request, so the client is made there; that costs no request. */
export const redlock = (c: Context<Env>): Redlock => Redlock.fromEnv(c.env)
