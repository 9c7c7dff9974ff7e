import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type LockNode, Redlock } from '../../src/index.ts'
import { memoryNode } from '../../src/entries/testing.ts'
import { delayRequest } from '../../tools/faults.ts'
import { nodeThrough } from '../../tools/node-through.ts'

// Two nodes that are one server count once, also where a client reads how fast the nodes are.

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The node under another name, so many ms away. */
const seenAs = (name: string, node: LockNode, distance: number): LockNode =>
  nodeThrough(
    { ...node, name },
    delayRequest(() => distance),
  )

it.each([
  ['first', [5, 10]],
  ['last', [10, 5]],
])(
  'a call waits for the second server after two answers of one, the lower name %s',
  async (_, [low, high]) => {
    const servers = [memoryNode({ name: 'a' }), memoryNode({ name: 'c' })]
    const [one, other] = servers
    await new Redlock({ nodes: [one!, other!, memoryNode({ name: 'd' })] }).acquire('key')
    const nodes = [seenAs('a', one!, low!), seenAs('b', one!, high!), seenAs('c', other!, 40)]
    const running = new Redlock({ nodes, warnings: false }).tryAcquire('key')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await running).toMatchObject({ ok: false, reason: 'locked' })
  },
)
