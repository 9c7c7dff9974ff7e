import { lockKey } from 'edge-redlock'
import { withThrottle } from 'edge-redlock/fetch'
import { redlock } from '../../redlock'

const userOf = (request: Request) => request.headers.get('x-user') // replace with your session lookup

/** Accepts one submission per user in five seconds; others are rejected with 429. */
const submit = withThrottle(
  { redlock, key: (request: Request) => lockKey('submit', userOf(request)!), window: 5_000 },
  () => Response.json({ submission: crypto.randomUUID() }, { status: 202 }),
)

export const POST = (request: Request) =>
  userOf(request) ? submit(request) : new Response('Sign in first', { status: 401 })
