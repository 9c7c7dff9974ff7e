import { type Context, Hono } from 'hono'
import { idempotent, type IdempotentOptions } from '../../src/entries/idempotency.ts'
import type { LockVariables } from '../../src/entries/hono.ts'
import { type LockNode, Redlock, type RestNodeOptions } from '../../src/index.ts'

export type Handler = (c: Context<{ Variables: LockVariables }>) => Response | Promise<Response>

/** Sends requests with a key, or without one. */
export const postTo =
  (serve: (request: Request) => Response | Promise<Response>) =>
  async (
    key: string | undefined,
    body: BodyInit | null = 'a',
    { path = '/orders', ...init }: RequestInit & { path?: string } = {},
  ): Promise<Response> => {
    const headers = new Headers(init.headers)
    if (key !== undefined) headers.set('idempotency-key', key)
    const request = { method: 'POST', body, ...init, headers }
    return serve(new Request(`http://localhost${path}`, request))
  }

/** An app with one idempotent route, and a client of it. */
export const appWith = (
  nodes: readonly (RestNodeOptions | LockNode)[] | Redlock,
  handler: Handler,
  options: Partial<IdempotentOptions> = {},
) => {
  const redlock = nodes instanceof Redlock ? nodes : new Redlock({ nodes })
  const scope = (c: Context): string => c.req.header('x-user') ?? 'user-1'
  let runs = 0
  const app = new Hono()
  // As Hono does, but without a stack on the console.
  app.onError((_, c) => c.text('Internal Server Error', 500))
  app.all('/orders/:id?', idempotent({ redlock, scope, ...options }), (c) => {
    runs++
    return handler(c)
  })
  return {
    app,
    redlock,
    runs: () => runs,
    post: postTo(app.fetch),
  }
}

/** What clients compare: all of a response but the mark of a replay. */
export const answerOf = async (response: Response) => {
  const { 'idempotent-replayed': replayed, ...headers } = Object.fromEntries(response.headers)
  const bytes = [...new Uint8Array(await response.arrayBuffer())]
  return { status: response.status, headers, bytes, replayed }
}
