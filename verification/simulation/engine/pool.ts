import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Tinypool } from 'tinypool'
import { add } from '../checks/coverage.ts'
import type { Batch, BatchResult } from './batch.ts'

export type Result = {
  readonly histories: number
  /** Of all threads together. */
  readonly seconds: number
  readonly failures: BatchResult['failures']
  readonly coverage: ReadonlyMap<string, number>
}

const batchSize = 200

/**
 * Runs the histories of so many seeds on all cores, and stops soon after `most` of them have failed.
 *
 * @param file - The module that runs a batch; another one for a copy of the sources.
 */
export const runAll = async (
  { first, count, failures: most }: Batch,
  onProgress: (done: number) => void = () => {},
  file: string = fileURLToPath(new URL('batch.ts', import.meta.url)),
): Promise<Result> => {
  const threads = availableParallelism()
  const pool = new Tinypool({
    filename: file,
    minThreads: threads,
    maxThreads: threads,
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
  })
  const coverage = new Map<string, number>()
  const failures: BatchResult['failures'][number][] = []
  let [next, histories, seconds] = [0, 0, 0]
  const work = async (): Promise<void> => {
    while (next < count && failures.length < most) {
      const batch: Batch = {
        first: first + next,
        count: Math.min(batchSize, count - next),
        failures: most,
      }
      next += batch.count
      const result = (await pool.run(batch)) as BatchResult
      histories += result.histories
      seconds += result.seconds
      failures.push(...result.failures)
      add(coverage, result.coverage)
      onProgress(histories)
    }
  }
  try {
    await Promise.all(Array.from({ length: threads }, work))
  } finally {
    await pool.destroy()
  }
  failures.sort((a, b) => a.seed - b.seed)
  return { histories, seconds, failures: failures.slice(0, most), coverage }
}
