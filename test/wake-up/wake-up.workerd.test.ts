import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { Redlock, type RestNodeOptions, withWakeUp } from '../../src/index.ts'
import { freshKey } from '../support/nodes.ts'
import { longTtl, never, untilQueued } from './waiters.ts'

// On Workers each call has a queue and a stream of its own, since no request may wait for another. So the order is
// not promised (docs/understand/how-it-works.md): the first message leaves its node before the other nodes are free.

const nodes = (JSON.parse(String(env.REDLOCK_NODES)) as RestNodeOptions[]).slice(0, 3)

it('wakes waiters one after the other on workerd', async () => {
  const client = (): Redlock => withWakeUp(new Redlock({ nodes, retry: never }))
  const key = freshKey()
  const held = await client().acquire(key, { ttl: longTtl })
  const steps: string[] = []
  const take = async (): Promise<void> => {
    const lock = await client().acquire(key, { wait: 50_000 })
    steps.push('begins')
    await lock.extend()
    steps.push('ends')
    await lock.release()
  }
  const waiting: Promise<void>[] = []
  for (let turn = 0; turn < 3; turn++) {
    waiting.push(take())
    await untilQueued(nodes, key, turn + 1)
  }
  await held.release()
  await Promise.all(waiting)
  expect(steps).toEqual(waiting.flatMap(() => ['begins', 'ends']))
})
