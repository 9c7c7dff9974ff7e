import { withLock } from 'edge-redlock/fetch'
import { fromEnv, lockKey } from 'edge-redlock'

/** The part of the API Gateway event (payload 2.0) that this function uses. `@types/aws-lambda` has the full type. */
type Event = { readonly pathParameters?: { readonly id?: string } }
type Result = { readonly statusCode: number; readonly body: string }

const redlock = fromEnv()

/** Rebuilds a report, one request at a time. Others are rejected with 409 and Retry-After. */
export const handler = withLock(
  {
    redlock,
    ttl: 5_000,
    key: ({ pathParameters }: Event) => lockKey('report', pathParameters!.id!),
  },
  async ({ pathParameters }, _context, _callback, lock): Promise<Result> => {
    // Pass the token to the store of the report, so that the store can reject stale writes.
    const token = await lock!.fencingToken()
    await new Promise((resolve) => setTimeout(resolve, 200))
    return { statusCode: 200, body: JSON.stringify({ report: pathParameters!.id, token }) }
  },
)
