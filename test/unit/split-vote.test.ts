import { describe, expect, it, vi } from 'vitest'
import { type AcquireResult, type LockNode, Redlock } from '../../src/index.ts'
import { type MemoryNode, memoryNode } from '../../src/entries/testing.ts'
import { nodeThrough } from '../../tools/node-through.ts'

// Memory nodes with known ranks, so that the order of the requests is known too.

type Watch = (operation: string, value: string) => void

/** The node, with a callback before each call. */
const watched = (node: MemoryNode, before: Watch): LockNode =>
  nodeThrough(node, ({ operation, value }, send) => {
    before(operation, value)
    return send()
  })
const rival = (node: MemoryNode, value: string): void =>
  void node.entries.set('lock:l:key', { value, expiresAt: Date.now() + 60_000 })

describe('a split vote', () => {
  it('is led by the holder of the lowest node, which keeps that node and asks again with the same value', async () => {
    const [low, high] = [memoryNode({ name: 'a' }), memoryNode({ name: 'b' })]
    const values: string[] = []
    let kept: string | undefined
    const asked = watched(high, (operation, value) => {
      if (operation !== 'a' || values.push(value) < 3) return
      kept = low.entries.get('lock:l:key')?.value
      high.entries.delete('lock:l:key')
    })
    rival(high, 'rival')
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const result = await new Redlock({ nodes: [asked, low] }).tryAcquire('key')
    expect(result).toMatchObject({ ok: true })
    expect(kept).toBe(values[0])
    expect(new Set(values).size).toBe(1)
  })

  const three = (): [MemoryNode, MemoryNode, MemoryNode] =>
    ['a', 'b', 'c'].map((name) => memoryNode({ name })) as ReturnType<typeof three>
  /** Records the requests of one tryAcquire, in order, as operation and node. */
  const askedOf = async (
    nodes: readonly MemoryNode[],
    before: Watch = () => {},
  ): Promise<{ asked: string[]; values: Set<string>; result: AcquireResult }> => {
    const asked: string[] = []
    const values = new Set<string>()
    const watching = nodes.map((node) =>
      watched(node, (operation, value) => {
        asked.push(operation + node.name)
        if (operation === 'a') values.add(value)
        before(operation, value)
      }),
    )
    const result = await new Redlock({ nodes: watching }).tryAcquire('key')
    return { asked, values, result }
  }

  it('ends at once for a client that yields to the holder of the first node', async () => {
    const [a, b, c] = three()
    rival(a, 'one rival')
    rival(c, 'another rival')
    const { asked, result } = await askedOf([a, b, c])
    expect(result).toMatchObject({ ok: false, reason: 'locked' })
    expect(asked).toEqual(['aa', 'ab', 'ac', 'rb'])
  })

  it('ends at once for a client that had no node', async () => {
    const [a, b, c] = three()
    rival(a, 'one rival')
    rival(b, 'another rival')
    rival(c, 'a third')
    const { asked, result } = await askedOf([a, b, c])
    expect(result).toMatchObject({ ok: false, reason: 'locked' })
    expect(asked).toEqual(['aa', 'ab', 'ac'])
  })

  it('ends for its leader although the clock stands still while the nodes answer', async () => {
    vi.useFakeTimers()
    try {
      const nodes = three()
      rival(nodes[1], 'one rival')
      rival(nodes[2], 'another rival')
      let [requests, isOver] = [0, false]
      const watching = nodes.map((node) => watched(node, () => void requests++))
      const call = new Redlock({ nodes: watching }).tryAcquire('key')
      void call.then(() => (isOver = true))
      await vi.advanceTimersByTimeAsync(10_000)
      expect({ isOver, requests: requests < 60 }).toEqual({ isOver: true, requests: true })
    } finally {
      vi.useRealTimers()
    }
  })
})
