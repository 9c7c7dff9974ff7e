import { withLock } from 'edge-redlock/fetch'
import { lockKey, Redlock } from 'edge-redlock'

/** The part of API Gateway's event (payload 2.0) that is used here; `@types/aws-lambda` has all of it. */
type Event = { readonly pathParameters?: { readonly id?: string } }
type Result = { readonly statusCode: number; readonly body: string }

const redlock = Redlock.fromEnv()

/** Runs one charge per invoice at a time. Other requests get 409 with Retry-After. */
export const handler = withLock(
  {
    redlock,
    ttl: 5_000,
    key: ({ pathParameters }: Event) => lockKey('charge', pathParameters!.id!),
  },
  async ({ pathParameters }, _context, _callback, lock): Promise<Result> => {
    // Pass the token to the payment system, which rejects a lower one: see the guide on guards.
    const token = await lock!.fence()
    await new Promise((resolve) => setTimeout(resolve, 200))
    return { statusCode: 200, body: JSON.stringify({ charged: pathParameters!.id, token }) }
  },
)
