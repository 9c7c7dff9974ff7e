import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { once } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { sleep } from '../../tools/faults.ts'
import { done, far } from '../support/virtual-calls.ts'

// Crowds of clients that call `once` again and again. Time is virtual.

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it.each([6, 12, 20])('%i clients go on when a record ends', async (size) => {
  const nodes = memoryNodes(3)
  const run = vi.fn<() => number>(() => 1)
  const client = async (): Promise<void> => {
    const ways = far(nodes, () => 3 * Math.random())
    const redlock = new Redlock({ nodes: ways, warnings: false })
    while (run.mock.calls.length < 8) {
      await once(redlock, 'k', { keepFor: 0, wait: 4_000 }, run)
      await sleep(3 * Math.random())
    }
  }
  await done(Promise.all(Array.from({ length: size }, client)))
  expect(run).toHaveBeenCalledTimes(8)
})
