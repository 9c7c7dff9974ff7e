import { expect, it } from 'vitest'
import { Redlock, withWakeUp } from '../../src/index.ts'
import { freshKey } from '../support/nodes.ts'
import { firstOf, longTtl, over, untilQueued } from './waiters.ts'
import { realNodes } from '../support/real-nodes.ts'

const nodes = realNodes.slice(0, 3)

it('asks all nodes soon where the release did not reach the node of the messages', async () => {
  const key = freshKey()
  let isCutOff = false
  const first = firstOf(nodes).url
  const cutOff = over(nodes, ({ url }, send) =>
    isCutOff && url.startsWith(first) ? Promise.reject(new TypeError('fetch failed')) : send(),
  )
  const held = await withWakeUp(new Redlock({ nodes: cutOff })).acquire(key, { ttl: longTtl })
  let attempts = 0
  const waiting = withWakeUp(
    new Redlock({
      nodes,
      onEvent: (event) => {
        if (event.type === 'acquired') ({ attempts } = event)
      },
    }),
  ).acquire(key, { wait: 50_000 })
  await untilQueued(nodes, key, 1)
  isCutOff = true
  expect(await held.release()).toBe('released')
  const lock = await waiting
  // The first was rejected, and one asked that node alone. A slow machine may be polled once more before.
  expect(attempts).toBeLessThanOrEqual(4)
  await lock.release()
})
