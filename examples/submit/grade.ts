import { Hono } from 'hono'
import type { LockVariables } from 'edge-redlock/hono'
import { lockKey } from 'edge-redlock'
import { type Env, lock } from './context.ts'

const steps = 10
const stepTime = 250

/**
 * Lets one request at a time grade an assignment. Grading takes two and a half times the TTL of the lock, so the lock is
 * extended automatically. If the lock is lost anyway, grading stops.
 */
export const grade = new Hono<Env & { Variables: LockVariables }>().post(
  '/assignments/:id/grade',
  lock({ ttl: 1_000, key: (c) => lockKey('grade', c.req.param('id')) }),
  async (c) => {
    const { lock } = c.var
    for (let step = 0; step < steps; step++) {
      lock?.signal.throwIfAborted()
      await new Promise((resolve) => setTimeout(resolve, stepTime))
    }
    return c.json({ assignment: c.req.param('id'), graded: true, took: steps * stepTime })
  },
)
