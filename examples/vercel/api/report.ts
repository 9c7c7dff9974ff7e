import { withLock } from 'edge-redlock/fetch'
import { fromEnv, lockKey } from 'edge-redlock'

// Create the client once per instance, because a Vercel function has its environment variables when it loads.
const redlock = fromEnv()

const courseOf = (request: Request): string => new URL(request.url).searchParams.get('course') ?? ''

/** Runs one report per course at a time. Other requests are rejected with 409. */
export const POST = withLock(
  { redlock, ttl: 10_000, key: (request) => lockKey('report', courseOf(request)) },
  async (request, _env, _ctx, lock) => {
    const begun = Date.now()
    // A placeholder for the real report. `lock.signal` aborts if the lock is lost.
    await new Promise((resolve) => setTimeout(resolve, 200))
    lock?.signal.throwIfAborted()
    return Response.json({ course: courseOf(request), took: Date.now() - begun })
  },
)
