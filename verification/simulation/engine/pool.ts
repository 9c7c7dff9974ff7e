import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Tinypool } from 'tinypool'
import { addCoverage } from '../checks/coverage.ts'
import { addSamples, type Samples } from '../checks/distribution.ts'
import { addWinnerCounts, type WinnerCounts } from '../checks/winner-counts.ts'
import type { Batch, BatchResult } from './batch.ts'

export type Result = {
  readonly histories: number
  /** Processor time: the sum over all threads. */
  readonly seconds: number
  readonly failures: BatchResult['failures']
  readonly coverage: ReadonlyMap<string, number>
  readonly samples: Samples
  readonly winners: WinnerCounts
  /** In order of their seeds. */
  readonly lostBursts: BatchResult['lostBursts']
}

const batchSize = 200

/** Threads that load the sources once, and run histories until they are closed. */
export type Pool = {
  /** Stops soon after as many histories have failed as the batch allows. */
  readonly run: (batch: Batch, onProgress?: (done: number) => void) => Promise<Result>
  readonly close: () => Promise<void>
}

/**
 * Opens threads on all cores, one after the other as histories need them.
 *
 * @param file - The module that runs a batch. Mutants pass one that patches the sources.
 * @param workerData - The data that the module needs.
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
    // A thread between two batches keeps the sources that it has loaded.
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

/** Runs the histories of a range of seeds on all cores, in threads that end with it. */
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
