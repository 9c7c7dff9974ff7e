/** @ts-ignore -- hono is optional: without it, `edge-redlock/idempotency` still has its other types. */
import type { Context, Env, MiddlewareHandler } from 'hono'
import { enter, type LockVariables, send } from './adapter.ts'
import type { AnyEnv, KeyContext, RedlockArgs } from './key-context.ts'
import { bodyReadBefore } from '../../requests/lend-body.ts'
import { withEarlier } from '../../requests/with-headers.ts'
import { idempotentGate } from '../../idempotency/idempotent-gate.ts'
import type { IdempotencyGateOptions as Options } from '../../idempotency/options.ts'

/**
 * Options of `idempotent()`. All times are in ms, all sizes in bytes. Functions receive the context.
 *
 * @typeParam E - The Env of the app, which types the context of `scope`. Default: the Env of `redlock`.
 */
export type IdempotentOptions<E extends Env = AnyEnv> = Options<
  [c: Context],
  Response,
  RedlockArgs<E>,
  [c: KeyContext<E>]
>

/** Copies a body that was read through `c.req`, which caches bodies. */
const copyOfCache = async ({ req }: Context): Promise<Response> => {
  const { bodyCache } = req
  if (Object.keys(bodyCache).length === 0) throw bodyReadBefore()
  // For a form, `Response` generates a new boundary and the matching `content-type`.
  return new Response(bodyCache.formData ? await req.formData() : await req.arrayBuffer())
}

/**
 * Idempotency Middleware for Hono: the first request with a key is processed, and repeated requests receive the same
 * response.
 *
 * The key is the value of the `Idempotency-Key` header, within the scope, the method and the path. The response is
 * recorded on a majority of the nodes before it is sent, and kept for `recordTtl`. If a response is not recorded, such
 * as a 5xx, the key is released, so that a retry runs.
 *
 * GET, HEAD, OPTIONS and TRACE requests run without a claim.
 *
 * @param options - The options of the middleware.
 * @returns The middleware. In the handler, `c.var.lock` is the lock of the request.
 * @throws `TypeError` or `RangeError` if an option is invalid; the message names the option.
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
  // Only callers need the precise types of the contexts.
  const own = options as unknown as Options<[c: Context], Response>
  const gate = idempotentGate('idempotent()', own)
  return async (c, next) => {
    // Do not read `c.res` here: that would create a response whose headers replace the handler's headers.
    const { headers } = c.newResponse(null)
    const answer = await enter(c, next, gate, {
      copyBody: () => copyOfCache(c),
      hasFailed: () => !!c.error,
    })
    if (answer.isOwn) return send(c, answer.response)
    // Clear `c.res` first, or Hono merges the headers of the earlier response into the new one.
    c.res = undefined
    c.res = withEarlier(answer.response, headers)
    return undefined
  }
}
