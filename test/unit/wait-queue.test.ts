import { describe, expect, it } from 'vitest'
import { type LockNode, Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/testing/index.ts'
import { eventually } from '../support/eventually.ts'

describe('the wait queue of a key', () => {
  it('is not shared by the keys ["a", "b"] and "a,b"', async () => {
    const nodes = memoryNodes(3)
    const held = await new Redlock({ nodes }).acquire('a')
    const redlock = new Redlock({ nodes, singleFlight: true })
    const both = redlock.acquire(['a', 'b'], { wait: 60_000 })
    const lock = await redlock.acquire('a,b', { wait: 60_000 })
    expect(await lock.release()).toBe('released')
    await held.release()
    await (await both).release()
  })

  it('does not report an outage that only another waiter has met', async () => {
    let isDown = true
    const nodes = memoryNodes(3).map(({ name, run }): LockNode => ({
      name,
      run: (call, signal) => (isDown ? Promise.reject(new Error('down')) : run(call, signal)),
    }))
    const events: string[] = []
    const onEvent = ({ type }: { type: string }): void =>
      void (type === 'node-error' && events.push(type))
    const redlock = new Redlock({ nodes, singleFlight: true, onEvent })
    // After three attempts it asks again only long after the second call.
    const retry = (attempt: number): number => (attempt < 3 ? 10 : 60_000)
    const first = redlock.acquire('key', { wait: 120_000, retry })
    await eventually(() => expect(events.length).toBeGreaterThanOrEqual(9))
    isDown = false
    const second = await redlock.acquire('key', { wait: 2_000 })
    await second.release()
    await (await first).release()
  })
})
