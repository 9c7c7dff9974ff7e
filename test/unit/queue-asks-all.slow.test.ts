import { expect, it } from 'vitest'
import { adopt, Redlock, serialize } from '../../src/index.ts'
import { reject, slow, withFault } from '../support/faults.ts'
import { freshKey } from '../support/nodes.ts'
import { realNodes } from '../support/real-nodes.ts'

const nodes = realNodes.slice(0, 3).toSorted((a, b) => (a.url < b.url ? -1 : 1))

it('asks all nodes now and then, also where each caller in the queue has time for one request only', async () => {
  const key = freshKey()
  const cutOff = nodes.map((node, index) => (index === 0 ? withFault(node, reject) : node))
  const held = await new Redlock({ nodes }).acquire(key, { ttl: 60_000 })
  // The last try of a call gets a multiple of what the nodes took before. Where that is a millisecond or two,
  // a busy machine cuts each of them.
  const distant = nodes.map((node) => withFault(node, slow(30)))
  const redlock = new Redlock({ nodes: distant, retry: () => 1_000 })
  const state = { hasAcquired: false }
  const call = async (): Promise<void> => {
    const lock = await redlock.acquire(key, { wait: 5_000 })
    state.hasAcquired = true
    await lock.release()
  }
  const calls: Promise<void>[] = []
  for (let count = 0; count < 24 && !state.hasAcquired; count++) {
    calls.push(call().catch(() => {}))
    await new Promise((resolve) => setTimeout(resolve, 700))
    // The release does not reach the first node, which keeps the lock.
    if (count === 8)
      await adopt(new Redlock({ nodes: cutOff, warnings: false }), serialize(held)).release()
  }
  await Promise.all(calls)
  expect(state.hasAcquired).toBe(true)
})
