import { describe, expect, it } from 'vitest'
import { Redlock, withKeyNames, withSlots } from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'
import { command, freshKey } from '../support/nodes.ts'
import { realNodes as nodes } from '../support/real-nodes.ts'

describe('calls with different limits in one process', () => {
  it('do not wait for each other', async () => {
    const types: string[] = []
    const onEvent = ({ type }: { type: string }): void => void types.push(type)
    const redlock = withSlots(new Redlock({ nodes, onEvent }))
    const key = freshKey()
    const held = [
      await redlock.acquire(key, { limit: 2 }),
      await redlock.acquire(key, { limit: 2 }),
    ]
    const controller = new AbortController()
    const { signal } = controller
    const waiting = redlock.acquire(key, { limit: 2, wait: 100_000, signal })
    await eventually(() => expect(types).toContain('waiting'))

    const begun = performance.now()
    const plain = await redlock.acquire(key, { wait: 60_000 })
    const third = await redlock.acquire(key, { limit: 3, wait: 60_000 })
    expect(plain.keys).toEqual([key])
    expect(third.keys).toEqual([`${key}#3`])
    // Behind the call that waits, they would ask the nodes shortly before their own wait ends.
    expect(performance.now() - begun).toBeLessThan(20_000)

    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    for (const lock of [...held, plain, third]) await lock.release()
  })

  it('are woken by a release of their own limit', async () => {
    const retry = { delay: 100_000, maxDelay: 100_001 }
    const types: string[] = []
    const onEvent = ({ type }: { type: string }): void => void types.push(type)
    const redlock = withSlots(new Redlock({ nodes, retry, onEvent }))
    const key = freshKey()
    const held = await redlock.acquire(key, { limit: 1, ttl: 100_000 })
    const waiting = redlock.acquire(key, { limit: 1, wait: 100_000 })
    await eventually(() => expect(types).toContain('waiting'))
    await held.release()
    await (await waiting).release()
  })
})

describe('slots with names of another library', () => {
  it('are held under these names, and exclude each other', async () => {
    const keyName = (key: string): string => `other:${key}`
    const redlock = withSlots(withKeyNames(new Redlock({ nodes }), keyName))
    const key = freshKey()
    const held = [
      await redlock.acquire(key, { limit: 2 }),
      await redlock.acquire(key, { limit: 2 }),
    ]
    for (const slot of [1, 2]) {
      const stored = await command(nodes[0]!, 'EXISTS', `other:${key}#${slot}`)
      expect(stored).toBe(1)
    }
    expect(await redlock.tryAcquire(key, { limit: 2 })).toMatchObject({ reason: 'locked' })
    await held[0]!.release()
    const next = await redlock.acquire(key, { limit: 2 })
    expect(next.keys).toEqual(held[0]!.keys)
    for (const lock of [held[1]!, next]) await lock.release()
  })
})
