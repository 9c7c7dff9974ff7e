import { expect, it } from 'vitest'
import { Redlock, withSlots, withWakeUp } from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'
import { freshKey } from '../support/nodes.ts'
import { counting } from './waiters.ts'
import { realNodes } from '../support/real-nodes.ts'

// docs/features/slots.md: calls with a `limit` poll.

const nodes = realNodes.slice(0, 3)
const retry = { delay: 20, maxDelay: 21 }

it.each([
  ['around', (redlock: Redlock) => withWakeUp(withSlots(redlock))],
  ['inside', (redlock: Redlock) => withSlots(withWakeUp(redlock))],
])('a call that waits for a slot polls, with withWakeUp %s withSlots', async (_, wrap) => {
  const key = freshKey()
  const held = await wrap(new Redlock({ nodes })).acquire(key, { limit: 1 })
  const { counts, nodes: counted } = counting(nodes)
  const waiting = wrap(new Redlock({ nodes: counted, retry })).acquire(key, {
    limit: 1,
    wait: 30_000,
  })
  // Enough tries for a waiter to open a stream before one of them.
  await eventually(() => expect(counts.requests).toBeGreaterThan(20))
  expect(await held.release()).toBe('released')
  expect(await (await waiting).release()).toBe('released')
  expect(counts.opened).toBe(0)
})
