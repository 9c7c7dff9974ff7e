import { Hono } from 'hono'
import { type IdempotentOptions, withIdempotency } from '../../src/entries/idempotency.ts'
import type { LockVariables, RequestRejection } from '../../src/entries/hono.ts'
import type { Lock, Redlock } from '../../src/index.ts'
import { appWith, type Handler } from './app.ts'

/** The options that all adapters have in common. */
export type Options = {
  readonly redlock: Redlock
  readonly scope?: () => string
  readonly shouldRecord?: (response: Response) => boolean
  readonly onRejected?: (rejection: RequestRejection) => Response | undefined
} & Partial<Pick<IdempotentOptions, 'maxPayload' | 'recordTtl' | 'required' | 'statuses' | 'wait'>>

/**
 * An adapter: it puts idempotence in front of a handler. It takes the user from the header `x-user`, and answers for a
 * handler that throws with a 500.
 */
export type Front = (
  options: Options,
  handler: Handler,
) => (request: Request) => Response | Promise<Response>

export const inHono: Front = ({ redlock, ...options }, handler) =>
  appWith(redlock, handler, options).app.fetch

/** An app behind another adapter, which passes the lock on. */
export const appBehind = (handler: Handler) =>
  new Hono<{ Bindings: { lock?: Lock | undefined }; Variables: LockVariables }>()
    .use(async (c, next) => {
      if (c.env.lock) c.set('lock', c.env.lock)
      await next()
    })
    .all('*', handler)
    .onError((error) => {
      throw error
    })

export const inFunctions: Front = (options, handler) => {
  const scope = (request: Request): string => request.headers.get('x-user') ?? 'user-1'
  const app = appBehind(handler)
  const serve = withIdempotency({ scope, ...options }, async (request: Request, _env, _ctx, lock) =>
    app.fetch(request, { lock }),
  )
  return (request) => serve(request).catch(() => new Response('', { status: 500 }))
}
