import { Hono } from 'hono'
import { lockKey } from 'edge-redlock'
import { type Env, throttle } from './context.ts'

/** Accepts one submission per user and assignment in five seconds. */
export const submit = new Hono<Env>().post(
  '/assignments/:id/submit',
  async (c, next) => {
    // A real app would take the user from the session. The throttle needs a user for its key.
    const user = c.req.header('x-user')
    if (!user) {
      const detail = 'Send the header x-user'
      const headers = { 'content-type': 'application/problem+json' }
      return c.body(JSON.stringify({ title: 'Bad Request', status: 400, detail }), 400, headers)
    }
    c.set('user', user)
    return next()
  },
  throttle({
    window: 5_000,
    // A failed submission does not count, so the user can try again immediately.
    countIf: ({ ok }) => ok,
    key: (c) => lockKey('submit', c.get('user'), c.req.param('id')),
  }),
  (c) => {
    // A real app would store the files and enqueue the checks here.
    const { user } = c.var
    return c.json({ submission: crypto.randomUUID(), assignment: c.req.param('id'), user }, 202)
  },
)
