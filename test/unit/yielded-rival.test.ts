import { expect, it } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { sleep } from '../../tools/faults.ts'

// A rival has one of three nodes when the lock is acquired, and gives it up. Then another node goes down before the
// first extension: two of three nodes are well, and nobody else wants the lock.

it('keeps a lock whose rival has yielded, although another node goes down before the first extension', async () => {
  const nodes = memoryNodes(3)
  const ttl = 1_500
  const redlock = new Redlock({ nodes, ttl, warnings: false })
  const rival = await new Redlock({ nodes: [nodes[2]!], ttl, warnings: false }).acquire('k')
  const lock = await redlock.acquire('k')
  await rival.release()
  nodes[1]!.fail()
  for (let time = 0; time < 2 * ttl; time += 200) {
    await lock.extend().catch(() => {})
    await sleep(200)
  }
  expect(lock.held).toBe(true)
  expect(await lock.release()).toBe('released')
})
