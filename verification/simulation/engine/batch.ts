import { addCoverage } from '../checks/coverage.ts'
import {
  addSamples,
  type Distributions,
  type PlainDistributions,
  plainDistributions,
} from '../checks/distribution.ts'
import type { Violation } from '../checks/records.ts'
import { type Outcome, runHistory } from '../history.ts'
import { type ScenarioChoice, type ScenarioName, scenarioOf } from '../scenarios/names.ts'

/** A range of seeds: `count` seeds from `first` on. */
export type Batch = {
  readonly scenario: ScenarioChoice
  readonly first: number
  readonly count: number
  /** The batch stops after this number of seeds that fail. */
  readonly failures: number
}

export type Failure = {
  readonly seed: number
  readonly scenario: ScenarioName
  readonly profile: string
  readonly violations: readonly Violation[]
}

/** The result of a batch: plain data, which a worker thread can post to its parent. */
export type BatchResult = {
  readonly histories: number
  readonly seconds: number
  readonly failures: readonly Failure[]
  readonly coverage: readonly (readonly [name: string, count: number])[]
  readonly distributions: PlainDistributions
}

// Histories create millions of errors, and nobody reads their stack traces.
Error.stackTraceLimit = 0
// Some histories have an even number of nodes, of which the client warns.
console.warn = () => {}

let unhandled: unknown[] = []
process.on('unhandledRejection', (reason) => unhandled.push(reason))

/** Runs one history. Unhandled rejections count as violations. */
export const observe = async (
  seed: number,
  scenario: ScenarioChoice,
  isTraced: boolean = false,
): Promise<Outcome> => {
  unhandled = []
  const outcome = await runHistory(seed, scenarioOf(scenario, seed), isTraced)
  const rejections = unhandled.map((reason) => ({ check: 'unhandled', text: String(reason) }))
  return { ...outcome, violations: [...outcome.violations, ...rejections] }
}

/** Runs a batch in a thread of its own. */
const runBatch = async ({
  scenario: choice,
  first,
  count,
  failures: maxFailures,
}: Batch): Promise<BatchResult> => {
  const start = performance.now()
  const coverage = new Map<string, number>()
  const distributions: Distributions = new Map()
  const failures: Failure[] = []
  let histories = 0
  while (histories < count && failures.length < maxFailures) {
    const outcome = await observe(first + histories++, choice)
    addCoverage(coverage, outcome.coverage)
    addSamples(distributions, outcome.samples)
    const { seed, scenario, profile, violations } = outcome
    if (violations.length > 0) failures.push({ seed, scenario, profile, violations })
  }
  return {
    histories,
    seconds: (performance.now() - start) / 1000,
    failures,
    coverage: [...coverage],
    distributions: plainDistributions(distributions),
  }
}

// The thread pool calls the default export of a module.
export default runBatch
