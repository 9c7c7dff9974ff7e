import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { Redlock, type RestNodeOptions } from '../../src/index.ts'
import { withWakeUp } from '../../src/wake-up/index.ts'
import { freshKey } from '../support/nodes.ts'

// On Workers each call has a queue and a stream of its own, since no request may wait for another.

const nodes = (JSON.parse(String(env.REDLOCK_NODES)) as RestNodeOptions[]).slice(0, 3)

it('wakes waiters one after the other on workerd', async () => {
  const retry = { minDelay: 60_000, maxDelay: 60_001 }
  const client = (): Redlock => withWakeUp(new Redlock({ nodes, retry }))
  const key = freshKey()
  const held = await client().acquire(key)
  const turns: number[] = []
  const waiting = [0, 1, 2].map(async (turn) => {
    await new Promise((resolve) => setTimeout(resolve, turn * 150))
    const lock = await client().acquire(key, { wait: 50_000 })
    turns.push(turn)
    await lock.release()
  })
  await new Promise((resolve) => setTimeout(resolve, 900))
  await held.release()
  await Promise.all(waiting)
  expect(turns).toEqual([0, 1, 2])
})
