import { lockKey } from 'edge-redlock'
import { withThrottle } from 'edge-redlock/fetch'
import { redlock } from './redlock.ts'

// The part of the API Gateway event that this function uses. `@types/aws-lambda` has the full type.
type Event = { readonly headers: Readonly<Record<string, string | undefined>> }
type Result = {
  readonly statusCode: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

const userOf = ({ headers }: Event) => headers['x-user'] // replace with your session lookup

/** Accepts one submission per user in five seconds; others are rejected with 429. */
const submit = withThrottle(
  { redlock, key: (event: Event) => lockKey('submit', userOf(event)!), window: 5_000 },
  (): Result => ({
    statusCode: 202,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ submission: crypto.randomUUID() }),
  }),
)

export const handler = async (event: Event, context: unknown): Promise<Result> =>
  userOf(event) ? submit(event, context) : { statusCode: 401, body: 'Sign in first' }
