import { withLock } from '../../../src/fetch/index.ts'
import { lockKey, Redlock } from '../../../src/index.ts'

// Made once per instance: the environment of a Vercel function is there when it loads.
const redlock = Redlock.fromEnv()

const courseOf = (request: Request): string => new URL(request.url).searchParams.get('course') ?? ''

/** Never twice at once for a course. Others get 409. */
export const POST = withLock(
  { redlock, ttl: 10_000, key: (request) => lockKey('report', courseOf(request)) },
  async (request, _env, _ctx, lock) => {
    const begun = Date.now()
    // Here the report would be made; `lock.signal` aborts if the lock is lost.
    await new Promise((resolve) => setTimeout(resolve, 200))
    lock?.signal.throwIfAborted()
    return Response.json({ course: courseOf(request), took: Date.now() - begun })
  },
)
