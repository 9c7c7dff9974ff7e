import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Tinypool } from 'tinypool'
import type { Patch } from '../../tools/patch-copy.ts'
import type { Batch } from './batch.ts'
import type { Search } from './search.ts'

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Threads that search worlds. */
export type Threads = {
  readonly search: (batch: Batch) => Promise<Search>
  readonly close: () => Promise<void>
}

/**
 * Opens threads on all cores, one after the other as searches need them.
 *
 * @param patch - A change to the sources that the threads run.
 */
export const openThreads = (patch?: Patch): Threads => {
  const pool = new Tinypool({
    filename: fileOf(patch ? 'patched-batch.ts' : 'batch.ts'),
    workerData: patch && { ...patch },
    minThreads: 1,
    maxThreads: patch ? 1 : availableParallelism(),
    idleTimeout: 60_000,
  })
  return { search: (batch) => pool.run(batch) as Promise<Search>, close: () => pool.destroy() }
}
