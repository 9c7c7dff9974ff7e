import { fromEnv } from 'edge-redlock'
import { withLock } from 'edge-redlock/fetch'
import { type IdempotencyOptions, kvStore, withIdempotency } from 'edge-redlock/idempotency'

// A project without Hono. The types are as strict as with it.

interface Env {
  readonly REDLOCK_NODES: string
  readonly RECORDS: Parameters<typeof kvStore>[0]
}

export const locked = withLock(
  { redlock: (_request, env: Env) => fromEnv(env), key: ({ url }) => url },
  (_request, env, _ctx, lock) => new Response(`${env.REDLOCK_NODES} ${lock?.held}`),
)

export default {
  fetch: withIdempotency(
    {
      redlock: (_request, env: Env) => fromEnv(env),
      scope: (request) => request.headers.get('x-user') ?? 'nobody',
      store: (_request, env) => kvStore(env.RECORDS),
    },
    async (request, env, _ctx, lock) =>
      Response.json([request.url, env.REDLOCK_NODES, await lock?.fencingToken()], { status: 201 }),
  ),
}

export const wrong: IdempotencyOptions = {
  redlock: fromEnv({}),
  // @ts-expect-error -- a header may be missing
  scope: (request) => request.headers.get('x-user'),
}

// @ts-expect-error -- undefined does not decide to let a request pass
withLock({ redlock: fromEnv({}), key: () => undefined }, () => new Response())
