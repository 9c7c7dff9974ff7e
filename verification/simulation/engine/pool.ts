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

/**
 * Runs the histories of a range of seeds on all cores. It stops soon after as many of them have
 * failed as the range allows.
 *
 * @param file - The module that runs a batch. Mutants pass that of a copy of the sources.
 */
export const runAll = async (
  { scenario, first, count, failures: maxFailures }: Batch,
  onProgress: (done: number) => void = () => {},
  file: string = fileURLToPath(new URL('batch.ts', import.meta.url)),
): Promise<Result> => {
  const threads = Math.min(availableParallelism(), Math.ceil(count / batchSize))
  const pool = new Tinypool({
    filename: file,
    minThreads: threads,
    maxThreads: threads,
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
  })
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
  try {
    await Promise.all(Array.from({ length: threads }, runBatches))
  } finally {
    await pool.destroy()
  }
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
