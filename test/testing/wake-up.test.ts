import { describe, expect, it } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/testing/index.ts'
import { withWakeUp } from '../../src/wake-up/index.ts'

describe('withWakeUp() over nodes in memory', () => {
  it('releases a lock on every node', async () => {
    const nodes = memoryNodes(3)
    const redlock = withWakeUp(new Redlock({ nodes }))
    const lock = await redlock.acquire('report')
    expect(await lock.release()).toBe('released')
    for (const { entries } of nodes) expect(entries.has('lock:l:report')).toBe(false)
  })

  it('a waiter gets the lock of another client, although no node in memory streams', async () => {
    const nodes = memoryNodes(3)
    const [one, other] = [0, 1].map(() => withWakeUp(new Redlock({ nodes })))
    const lock = await one!.acquire('report')
    const waited = other!.acquire('report', { wait: 10_000 })
    await lock.release()
    expect(await (await waited).release()).toBe('released')
  })
})
