/** @ts-ignore -- hono is optional: without it, `edge-redlock/idempotency` still has its other types. */
import type { Context, Env, MiddlewareHandler } from 'hono'
import { type AnyEnv, type KeyContext, scopeOf } from '../hono/adapter.ts'
import { lockVariable, type LockVariables } from '../hono/lock-variable.ts'
import { requestInput } from './http-input.ts'
import { type IdempotencyOptions as Options, resolveOptions } from './options.ts'
import { runIdempotent } from './run-idempotent.ts'

/**
 * Options of `idempotent()`. All times are in ms, all sizes in bytes; functions are called with the
 * context.
 *
 * @typeParam E - The Env of the app, which types the context of `scope`. Default: that of `redlock`.
 * @typeParam P - The path of the route, which types its parameters for `scope`.
 * @typeParam R - The Env of the context of `redlock`.
 */
export type IdempotentOptions<
  E extends Env = AnyEnv,
  P extends string = string,
  R extends Env = AnyEnv,
> = Options<[c: Context], Response, [c: Context<R>], [c: KeyContext<E, P, R>]>

/**
 * Idempotency Middleware for Hono: of all requests with the same key one is processed, and the
 * others get its answer.
 *
 * The key is that of the header `Idempotency-Key`, within the scope, the method and the path. The answer
 * is recorded on a majority of the nodes before it is sent, and kept for `recordTtl`. A request whose
 * answer is not recorded, such as a 5xx, releases the key, so that a retry runs.
 *
 * GET, HEAD, OPTIONS and TRACE run without a claim.
 *
 * @param given - The options of the middleware.
 * @returns The middleware. `c.var.lock` is the lock of the request.
 * @throws `TypeError` or `RangeError` when an option is wrong; the message names it.
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
export const idempotent = <
  E extends Env = AnyEnv,
  P extends string = string,
  R extends Env = AnyEnv,
>(
  given: IdempotentOptions<E, P, R>,
): MiddlewareHandler<{ Variables: LockVariables }> => {
  // The contexts have several types only for the caller.
  const options = given as unknown as Options<[c: Context], Response>
  const resolved = resolveOptions('idempotent()', options)
  return async function idempotent(c, next) {
    const variable = lockVariable(c)
    const scope = scopeOf(options, c)
    const input = requestInput(c.req.raw, () => copyBody(c))
    // Reading `c.res` would create a response, whose headers replace those of the handler.
    const headersSoFar = (): Headers => c.newResponse(null).headers
    let before: Headers | undefined
    let own: Response | undefined
    const response = await runIdempotent(scope, resolved, input, {
      run: async (lock) => {
        if (lock) {
          variable.set(lock)
          before = headersSoFar()
        }
        try {
          await next()
        } finally {
          variable.restore()
        }
        return c.res
      },
      // Hono turns an error of the handler into a response, which says nothing lasting.
      responseOf: (response) => (c.error || response.status === 101 ? undefined : response),
      answerOf: (_, response) => (own = response),
    })
    if (c.finalized && response === c.res) return undefined
    before ??= headersSoFar()
    // Hono would merge the headers of the handler into a response that takes the place of its own.
    c.res = undefined
    c.res = response === own ? response : withHeadersOf(response, before)
    return undefined
  }
}

/** The headers that earlier middleware has set belong to every answer. */
const withHeadersOf = (response: Response, before: Headers): Response => {
  const copy = new Response(response.body, response)
  // A response that is made of the handler's has some of them already.
  const cookies = copy.headers.getSetCookie()
  for (const [name, value] of before) {
    const isNew = name === 'set-cookie' ? !cookies.includes(value) : !copy.headers.has(name)
    if (isNew) copy.headers.append(name, value)
  }
  return copy
}

/** The body of a request that was read before. A form would get a new boundary, so its type comes with it. */
const copyBody = async ({ req }: Context): Promise<Response> =>
  new Response(req.bodyCache.formData ? await req.formData() : await req.arrayBuffer())
