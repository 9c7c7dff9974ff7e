import { Hono } from 'hono'
import { lock, type LockVariables } from '../../src/hono/index.ts'
import { lockKey } from '../../src/index.ts'
import { type Env, redlock } from './context.ts'

const steps = 10
const stepTime = 250

/**
 * Never twice at once for an assignment. It takes two and a half times the ttl of its lock, which
 * is extended as long as this runs; should the lock be lost all the same, it stops.
 */
export const grade = new Hono<Env & { Variables: LockVariables }>().post(
  '/assignments/:id/grade',
  lock({ redlock, ttl: 1_000, key: (c) => lockKey('grade', c.req.param('id')!) }),
  async (c) => {
    const { lock } = c.var
    for (let step = 0; step < steps; step++) {
      lock?.signal.throwIfAborted()
      await new Promise((resolve) => setTimeout(resolve, stepTime))
    }
    return c.json({ assignment: c.req.param('id'), graded: true, took: steps * stepTime })
  },
)
