import { expect, it } from 'vitest'
import { Redlock, withWakeUp } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

it('releases locks on nodes in memory, which do not stream', async () => {
  const redlock = withWakeUp(new Redlock({ nodes: memoryNodes(3), retry: { maxDelay: 60 } }))
  const lock = await redlock.acquire('report')
  const waiting = redlock.acquire('report', { wait: 5_000 })
  expect(await lock.release()).toBe('released')
  expect(await (await waiting).release()).toBe('released')
})
