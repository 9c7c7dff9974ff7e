import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Redlock, withSlots } from '../../src/index.ts'
import { type MemoryNode, memoryNodes } from '../../src/entries/testing.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The slots that are taken on a node. */
const takenOn = ({ entries }: MemoryNode): string[] =>
  [...entries.keys()].filter((name) => name.startsWith('lock:l:'))

it('leaves no slot on a node that grants another one after its time to answer', async () => {
  const nodes = memoryNodes(3)
  const late = nodes[2]!
  const take = (list: MemoryNode[], ttl: number) =>
    withSlots(new Redlock({ nodes: list, ttl })).acquire('key', { limit: 2 })
  // A client may begin with either slot.
  for (let round = 0; round < 8; round++) {
    const rival = await take([late], 60_000)
    const taken = takenOn(late)
    // Half of the validity is the time to answer; the request is cancelled after 2 s.
    late.delay(1_950)
    const lock = await take(nodes, 3_800)
    await vi.advanceTimersByTimeAsync(1_900)
    late.recover()
    await vi.advanceTimersByTimeAsync(60)
    await lock.release()
    await vi.advanceTimersByTimeAsync(10)
    expect(takenOn(late)).toEqual(taken)
    await rival.release()
    await vi.advanceTimersByTimeAsync(10)
  }
})
