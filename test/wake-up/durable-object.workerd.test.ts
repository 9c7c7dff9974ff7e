import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { durableObjectNodes, type RedlockNamespace } from '../../src/entries/durable-object.ts'
import { Redlock, withWakeUp } from '../../src/index.ts'
import { objectOf } from '../durable-object/objects.ts'
import { eventually } from '../support/eventually.ts'
import { freshKey } from '../support/nodes.ts'
import { inTurn, longTtl, never, takeTurns } from './waiters.ts'

const namespace = env.REDLOCK as RedlockNamespace
const nodes = durableObjectNodes(namespace, { name: 'wake-up' })
const first = () => objectOf(namespace, nodes[0]!)
const client = (): Redlock => withWakeUp(new Redlock({ nodes, retry: never }))

const untilQueued = (key: string, count: number): Promise<void> =>
  eventually(async () => {
    const queue = await first().command('GET', `lock:q:lock:l:${key}`)
    expect(JSON.parse((queue as string | null) ?? '[]')).toHaveLength(count)
  })

it('an object wakes waiters one after the other', async () => {
  expect(await takeTurns(client, untilQueued)).toEqual(inTurn)
})

it('a waiter that gives up leaves the queue, and its stream ends', async () => {
  const key = freshKey()
  const held = await client().acquire(key, { ttl: longTtl })
  const controller = new AbortController()
  const { signal } = controller
  const waiting = client().acquire(key, { wait: 50_000, signal })
  await untilQueued(key, 1)
  controller.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  await untilQueued(key, 0)
  expect(await held.release()).toBe('released')
})

it('a waiter polls when its object is evicted', async () => {
  const key = freshKey()
  const held = await client().acquire(key, { ttl: longTtl })
  const waiting = withWakeUp(new Redlock({ nodes })).acquire(key, { wait: 50_000 })
  await untilQueued(key, 1)
  await first()
    .evict()
    .catch(() => {})
  await held.release()
  expect(await (await waiting).release()).toBe('released')
})

it('an object answers nothing but streams over HTTP', async () => {
  const object = namespace.get(namespace.idFromName('wake-up-1')) as { fetch: typeof fetch }
  for (const path of ['', 'subscribe/', 'subscribe/%ZZ', 'subscribe/%FF']) {
    expect((await object.fetch(`https://object/${path}`)).status).toBe(404)
  }
})
