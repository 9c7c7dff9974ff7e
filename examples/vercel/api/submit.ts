import { withThrottle } from 'edge-redlock/fetch'
import { fromEnv, lockKey } from 'edge-redlock'

const redlock = fromEnv()

/** Accepts one submission per user in five seconds. Other requests are rejected with 429. */
export const POST = withThrottle(
  {
    redlock,
    window: 5_000,
    // A real app would take the user from the session. A request without a user is not throttled, because the handler
    // rejects it.
    key: (request) => {
      const user = request.headers.get('x-user')
      return user ? lockKey('submit', user) : null
    },
    countIf: (response) => response.ok,
  },
  (request) =>
    request.headers.get('x-user')
      ? Response.json({ submission: crypto.randomUUID() }, { status: 202 })
      : Response.json({ title: 'Bad Request', detail: 'Send the header x-user' }, { status: 400 }),
)
