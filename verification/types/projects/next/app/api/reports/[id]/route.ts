import { fromEnv, lockKey } from 'edge-redlock'
import { withLock, withThrottle } from 'edge-redlock/fetch'
import type { NextRequest } from 'next/server'

type RouteContext = { params: Promise<{ id: string }> }

const redlock = () => fromEnv()

export const POST = withLock(
  {
    redlock,
    key: async (_request: NextRequest, { params }: RouteContext) => lockKey((await params).id),
  },
  async (request, { params }, _ctx, lock) => {
    lock?.signal.throwIfAborted()
    // @ts-expect-error -- the lock is not an any
    lock?.nonsense()
    const { id } = await params
    return Response.json({ id, path: request.nextUrl.pathname })
  },
)

export const PUT = withThrottle(
  { redlock, key: 'reports', window: 5_000 },
  async (_request: NextRequest, { params }: RouteContext) => Response.json(await params),
)

// Without a type of the second argument.
export const PATCH = withLock({ redlock, key: 'reports' }, async () => new Response('done'))
