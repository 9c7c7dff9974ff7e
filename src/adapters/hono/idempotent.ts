/** @ts-ignore -- hono is optional: without it, `edge-redlock/idempotency` still has its other types. */
import type { Context, Env, MiddlewareHandler } from 'hono'
import { enter, type LockVariables, send } from './adapter.ts'
import type { AnyEnv, KeyContext, RedlockArgs } from './key-context.ts'
import { bodyReadBefore } from '../../requests/lend-body.ts'
import { withEarlier } from '../../requests/with-headers.ts'
import { idempotentGate } from '../../idempotency/idempotent-gate.ts'
import type { IdempotencyGateOptions as Options } from '../../idempotency/options.ts'

/**
 * Options of `idempotent()`. All times are in ms, all sizes in bytes; functions are called with the
 * context.
 *
 * @typeParam E - The Env of the app, which types the context of `scope`. Default: that of `redlock`.
 */
export type IdempotentOptions<E extends Env = AnyEnv> = Options<
  [c: Context],
  Response,
  RedlockArgs<E>,
  [c: KeyContext<E>]
>

/** A copy of a body that was read through `c.req`, which keeps it. */
const copyOfCache = async ({ req }: Context): Promise<Response> => {
  const { bodyCache } = req
  if (Object.keys(bodyCache).length === 0) throw bodyReadBefore()
  // A form gets a new boundary, and this response gets the matching type.
  return new Response(bodyCache.formData ? await req.formData() : await req.arrayBuffer())
}

/**
 * Idempotency Middleware for Hono: one of all requests with the same key is processed, and the others get its answer.
 *
 * The key is the value of the header `Idempotency-Key`, within the scope, the method and the path. The answer is
 * recorded on a majority of the nodes before it is sent, and kept for `recordTtl`. An answer that is not recorded, such
 * as a 5xx, releases the key, so that a retry runs.
 *
 * GET, HEAD, OPTIONS and TRACE run without a claim.
 *
 * @param options - The options of the middleware.
 * @returns The middleware. `c.var.lock` is the lock of the request.
 * @throws `TypeError` or `RangeError` if an option is wrong; the message names it.
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/}
 *
 * @example
 * ```ts
 * type App = { Variables: LockVariables & { userId: string } }
 * const app = new Hono<App>()
 * const once = idempotent<App>({ redlock, scope: (c) => c.var.userId, wait: 10_000 })
 *
 * app.post('/orders', once, async (c) => {
 *   const token = await c.var.lock!.fencingToken() // for a guard, in the transaction that writes
 *   return c.json(await createOrder(await c.req.json(), token), 201)
 * })
 * ```
 */
export const idempotent = <E extends Env = AnyEnv>(
  options: IdempotentOptions<E>,
): MiddlewareHandler<{ Variables: LockVariables }> => {
  // The contexts differ in type only for the caller.
  const own = options as unknown as Options<[c: Context], Response>
  const gate = idempotentGate('idempotent()', own)
  return async (c, next) => {
    // Reading `c.res` would create a response, whose headers replace those of the handler.
    const { headers } = c.newResponse(null)
    const answer = await enter(c, next, gate, {
      copyBody: () => copyOfCache(c),
      hasFailed: () => !!c.error,
    })
    if (answer.isOwn) return send(c, answer.response)
    // Hono would merge the headers of an earlier response into the one that replaces it.
    c.res = undefined
    c.res = withEarlier(answer.response, headers)
    return undefined
  }
}
