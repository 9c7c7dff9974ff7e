import { vi } from 'vitest'
import type { LockNode } from '../../src/index.ts'
import type { MemoryNode } from '../../src/entries/testing.ts'
import { delayBoth } from '../../tools/faults.ts'
import { nodeThrough } from '../../tools/node-through.ts'

// Calls in virtual time, over nodes in memory that are far away.

/** The nodes behind a way of so many ms in each direction. */
export const far = (nodes: readonly MemoryNode[], oneWay: () => number): LockNode[] =>
  nodes.map((node) => nodeThrough(node, delayBoth(oneWay)))

/** Lets virtual time pass until the work is done. */
export const done = async <T>(work: Promise<T>): Promise<T> => {
  const state = { isDone: false }
  const ended = (): void => void (state.isDone = true)
  work.then(ended, ended)
  while (!state.isDone) await vi.advanceTimersByTimeAsync(1)
  return work
}
