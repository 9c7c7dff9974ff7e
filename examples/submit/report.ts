import { Hono } from 'hono'
import { isLockedError, isQuorumError, lockKey } from 'edge-redlock'
import { forget, once } from 'edge-redlock/idempotency'
import { type Env, redlock } from './context.ts'

/** The number of reports that this isolate has created. */
let made = 0

/** Creates a report at most once a minute, no matter how many requests arrive. All of them receive the same report. */
export const report = new Hono<Env>()
  .post('/reports/:id', async (c) => {
    const key = lockKey('report', c.req.param('id'))
    const make = async () => {
      // A real app would read its database here.
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      return { number: ++made, report: crypto.randomUUID() }
    }
    return c.json(await once(redlock(c), key, { keepFor: 60_000, wait: 5_000 }, make))
  })
  .delete('/reports/:id', async (c) => {
    const isForgotten = await forget(redlock(c), lockKey('report', c.req.param('id')))
    return c.json({ isForgotten })
  })
  .onError((error, c) => {
    if (isLockedError(error)) return c.json({ detail: 'The report is still being made.' }, 409)
    if (isQuorumError(error)) return c.json({ detail: 'Too few nodes answered.' }, 503)
    throw error
  })
