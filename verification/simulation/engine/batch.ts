import { add } from '../checks/coverage.ts'
import type { Violation } from '../checks/recorder.ts'
import { type Outcome, runHistory } from '../history.ts'

/** Histories of seeds that follow each other. */
export type Batch = {
  readonly first: number
  readonly count: number
  /** Stop after so many seeds that fail. */
  readonly failures: number
}

export type Failure = {
  readonly seed: number
  readonly weather: string
  readonly violations: readonly Violation[]
}

/** What came of them. Plain data, for it goes from thread to thread. */
export type BatchResult = {
  readonly histories: number
  readonly seconds: number
  readonly failures: readonly Failure[]
  readonly coverage: readonly (readonly [string, number])[]
}

// Errors are made by the million, and nobody looks at where they come from.
Error.stackTraceLimit = 0
// An even number of nodes is on purpose.
console.warn = () => {}

let unhandled: unknown[] = []
process.on('unhandledRejection', (reason) => unhandled.push(reason))

/** One history, with what it leaves unhandled counted as a violation. */
export const observe = async (seed: number, isTraced: boolean = false): Promise<Outcome> => {
  unhandled = []
  const outcome = await runHistory(seed, isTraced)
  const strays = unhandled.map((reason) => ({ check: 'unhandled', text: String(reason) }))
  return { ...outcome, violations: [...outcome.violations, ...strays] }
}

/** Runs a batch, in a thread of its own. */
const runBatch = async ({ first, count, failures: most }: Batch): Promise<BatchResult> => {
  const begun = performance.now()
  const coverage = new Map<string, number>()
  const failures: Failure[] = []
  let histories = 0
  while (histories < count && failures.length < most) {
    const outcome = await observe(first + histories++)
    add(coverage, outcome.coverage)
    const { seed, weather, violations } = outcome
    if (violations.length > 0) failures.push({ seed, weather, violations })
  }
  return {
    histories,
    seconds: (performance.now() - begun) / 1000,
    failures,
    coverage: [...coverage],
  }
}

// A pool of threads calls what a module exports by default.
export default runBatch
