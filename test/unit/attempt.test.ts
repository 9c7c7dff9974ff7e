import { describe, expect, it, vi } from 'vitest'
import { isQuorumError, Redlock } from '../../src/index.ts'
import { memoryNode, memoryNodes } from '../../src/entries/testing.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { withSecrets } from '../../tools/with-secrets.ts'

describe('a second attempt', () => {
  // With one value for all attempts, as in redsync and rslock, the late release would release the lock.
  it('is not undone by a late release of the first one, since no value is used twice', async () => {
    let now = 0
    const nodes = memoryNodes(3, { now: () => now })
    const values = new Set<string>()
    const late: (() => Promise<unknown>)[] = []
    const faulty = nodes.map((node) =>
      nodeThrough(node, async ({ operation, value }, send) => {
        values.add(value)
        if (values.size > 1) return send()
        if (operation === 'r') late.push(send)
        else await send()
        throw new Error('reply lost')
      }),
    )
    const retry = (): number => {
      now += 2000 // The first attempt has expired on the nodes.
      return 1
    }
    const lock = await new Redlock({ nodes: faulty }).acquire('key', { ttl: 1000, retry })
    expect(late).toHaveLength(3)
    await Promise.all(late.map((release) => release()))
    expect(values.size).toBe(2)
    for (const { entries } of nodes) {
      expect(entries.get('lock:l:key')?.value).toBe(lock.value)
    }
    expect(await lock.release()).toBe('released')
  })
})

describe('listeners', () => {
  it('on the signal of the caller are removed when a call ends, whatever its result', async () => {
    const { signal } = new AbortController()
    const listeners = new Set<unknown>()
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    const adding = vi.spyOn(signal, 'addEventListener').mockImplementation((type, listener) => {
      listeners.add(listener)
      add(type, listener as () => void)
    })
    vi.spyOn(signal, 'removeEventListener').mockImplementation((type, listener) => {
      listeners.delete(listener)
      remove(type, listener as () => void)
    })
    const node = memoryNode()
    const redlock = new Redlock({ nodes: [node] })
    await redlock.using('key', { signal, ttl: 60_000 }, () => {})
    const lock = await redlock.acquire('key', { signal, ttl: 60_000 })
    const retry = { attempts: 3, delay: 1, maxDelay: 2 }
    await expect(redlock.acquire('key', { signal, retry })).rejects.toThrow('is held by')
    await lock.release()
    expect(adding).toHaveBeenCalled()
    expect(listeners.size).toBe(0)
  })
})

it('is rejected, and asks nobody, if its signal aborts inside a callback', async () => {
  const controller = new AbortController()
  const nodes = memoryNodes(3)
  let isArmed = false
  const value = (): string => {
    if (isArmed) controller.abort(new Error('mine'))
    return crypto.randomUUID()
  }
  const redlock = withSecrets(new Redlock({ nodes }), value)
  isArmed = true
  await expect(redlock.acquire('key', { signal: controller.signal })).rejects.toThrow('mine')
  for (const { entries } of nodes) expect([...entries.keys()]).toEqual([])
})

it('tells of an outage if its `wait` ends while too few nodes answer, even if one says who holds the lock', async () => {
  const nodes = memoryNodes(3)
  nodes[0]!.entries.set('lock:l:key', {
    value: 'another0-0000-4000-8000-000000000000',
    expiresAt: Date.now() + 60_000,
  })
  for (const node of nodes.slice(1)) node.hang()
  const acquiring = new Redlock({ nodes, warnings: false }).acquire('key', { wait: 600 })
  await expect(acquiring).rejects.toSatisfy(isQuorumError)
})
