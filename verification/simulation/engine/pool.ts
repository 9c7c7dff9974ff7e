import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Tinypool } from 'tinypool'
import { addCoverage } from '../checks/coverage.ts'
import { addSamples, type Samples } from '../checks/distribution.ts'
import { addWinnerCounts, type WinnerCounts } from '../checks/winner-counts.ts'
import type { Batch, BatchResult } from './batch.ts'

export type Result = {
  readonly histories: number
  /** The processor time of all threads together. */
  readonly seconds: number
  readonly failures: BatchResult['failures']
  readonly coverage: ReadonlyMap<string, number>
  readonly samples: Samples
  readonly winners: WinnerCounts
  /** In order of their seeds. */
  readonly lostBursts: BatchResult['lostBursts']
}

const batchSize = 200

/** Threads that load the sources once, and then run histories until the pool is closed. */
export type Pool = {
  /** Runs a batch. Stops soon after the maximum number of histories has failed. */
  readonly run: (batch: Batch, onProgress?: (done: number) => void) => Promise<Result>
  readonly close: () => Promise<void>
}

/**
 * Opens a pool with up to one thread per core. Each thread starts when it is needed.
 *
 * @param file - The module that runs a batch. The mutants pass a module that patches the sources.
 * @param workerData - The data for the module.
 */
export const openPool = (
  file: string = fileURLToPath(new URL('batch.ts', import.meta.url)),
  workerData?: object,
): Pool => {
  const threads = availableParallelism()
  const pool = new Tinypool({
    filename: file,
    workerData,
    minThreads: 1,
    maxThreads: threads,
    // Keep idle threads alive between two batches, because they have loaded the sources.
    idleTimeout: 60_000,
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
  })
  const run: Pool['run'] = async (
    { scenario, first, count, failures: maxFailures },
    onProgress = () => {},
  ) => {
    const coverage = new Map<string, number>()
    const samples: Samples = new Map()
    const winners: WinnerCounts = new Map()
    const lostBursts: BatchResult['lostBursts'][number][] = []
    const failures: BatchResult['failures'][number][] = []
    let [next, histories, seconds] = [0, 0, 0]
    const runBatches = async (): Promise<void> => {
      while (next < count && failures.length < maxFailures) {
        const batch: Batch = {
          scenario,
          first: first + next,
          count: Math.min(batchSize, count - next),
          failures: maxFailures,
        }
        next += batch.count
        const result = (await pool.run(batch)) as BatchResult
        histories += result.histories
        seconds += result.seconds
        failures.push(...result.failures)
        addCoverage(coverage, result.coverage)
        addSamples(samples, result.samples)
        addWinnerCounts(winners, result.winners)
        lostBursts.push(...result.lostBursts)
        onProgress(histories)
      }
    }
    await Promise.all(Array.from({ length: threads }, runBatches))
    for (const list of [failures, lostBursts]) list.sort((a, b) => a.seed - b.seed)
    return {
      histories,
      seconds,
      failures: failures.slice(0, maxFailures),
      coverage,
      samples,
      winners,
      lostBursts,
    }
  }
  return { run, close: () => pool.destroy() }
}

/** Runs the histories of a range of seeds on all cores. The threads end with the run. */
export const runAll = async (
  batch: Batch,
  onProgress?: (done: number) => void,
  file?: string,
): Promise<Result> => {
  const pool = openPool(file)
  try {
    return await pool.run(batch, onProgress)
  } finally {
    await pool.close()
  }
}
