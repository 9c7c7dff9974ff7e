import { vi } from 'vitest'
import type { LockNode } from '../../src/index.ts'
import type { MemoryNode } from '../../src/testing/index.ts'

// Calls in virtual time, over nodes in memory that are far away.

/** Waits for so many ms. */
export const pause = (time: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, time))

/** The nodes behind a way of so many ms in each direction. */
export const far = (nodes: readonly MemoryNode[], oneWay: () => number): LockNode[] =>
  nodes.map(({ name, eval: run }) => ({
    name,
    eval: async (...call) => {
      await pause(oneWay())
      const reply = await run(...call)
      await pause(oneWay())
      return reply
    },
  }))

/** Lets virtual time pass until the work is done. */
export const done = async <T>(work: Promise<T>): Promise<T> => {
  const state = { isDone: false }
  const ended = (): void => void (state.isDone = true)
  work.then(ended, ended)
  while (!state.isDone) await vi.advanceTimersByTimeAsync(1)
  return work
}
