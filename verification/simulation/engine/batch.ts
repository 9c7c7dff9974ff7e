import { addCoverage } from '../checks/coverage.ts'
import { addSamples, type Samples } from '../checks/distribution.ts'
import type { Violation } from '../checks/records.ts'
import type { Weather } from '../checks/weather.ts'
import { addWinnerCounts, type WinnerCount, type WinnerCounts } from '../checks/winner-counts.ts'
import { type Outcome, runHistory } from '../history.ts'
import { type ScenarioChoice, type ScenarioName, scenarioOf } from '../scenarios/names.ts'
import { turn } from './settled.ts'

/** A range of seeds: `count` seeds, starting with `first`. */
export type Batch = {
  readonly scenario: ScenarioChoice
  readonly first: number
  readonly count: number
  /** The batch stops after this many failed seeds. */
  readonly failures: number
}

export type Failure = {
  readonly seed: number
  readonly scenario: ScenarioName
  readonly profile: string
  readonly violations: readonly Violation[]
}

/** A burst that had too few winners. */
export type LostBurst = {
  readonly seed: number
  readonly scenario: ScenarioName
  readonly weather: Weather
}

/** The result of a batch: plain data, which a worker thread can post to its parent. */
export type BatchResult = {
  readonly histories: number
  /** The processor time of the thread, which excludes other processes. */
  readonly seconds: number
  readonly failures: readonly Failure[]
  readonly coverage: readonly (readonly [name: string, count: number])[]
  readonly samples: ReadonlyMap<string, readonly number[]>
  readonly winners: readonly (readonly [Weather, WinnerCount])[]
  readonly lostBursts: readonly LostBurst[]
}

// Histories create millions of errors, whose stack traces are never read.
Error.stackTraceLimit = 0
// Silence the client, which warns of the even number of nodes in some histories.
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
  // Node reports unhandled rejections only after a turn of the event loop.
  await turn()
  const rejections = unhandled.map((reason) => ({ check: 'unhandled', text: String(reason) }))
  return { ...outcome, violations: [...outcome.violations, ...rejections] }
}

/** Runs a batch in a separate thread. */
const runBatch = async ({
  scenario: choice,
  first,
  count,
  failures: maxFailures,
}: Batch): Promise<BatchResult> => {
  const start = process.threadCpuUsage()
  const coverage = new Map<string, number>()
  const samples: Samples = new Map()
  const winners: WinnerCounts = new Map()
  const lostBursts: LostBurst[] = []
  const failures: Failure[] = []
  let histories = 0
  while (histories < count && failures.length < maxFailures) {
    const outcome = await observe(first + histories++, choice)
    addCoverage(coverage, outcome.coverage)
    addSamples(samples, outcome.samples)
    addWinnerCounts(winners, outcome.winners)
    const { seed, scenario, profile, violations } = outcome
    for (const [weather, { lost }] of outcome.winners) {
      if (lost > 0) lostBursts.push({ seed, scenario, weather })
    }
    if (violations.length > 0) failures.push({ seed, scenario, profile, violations })
  }
  const { user, system } = process.threadCpuUsage(start)
  return {
    histories,
    seconds: (user + system) / 1e6,
    failures,
    coverage: [...coverage],
    samples,
    winners: [...winners],
    lostBursts,
  }
}

// The thread pool calls the default export of a module.
export default runBatch
