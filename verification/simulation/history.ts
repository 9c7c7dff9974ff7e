import { randomFrom } from '../../tools/random.ts'
import { checkHistory } from './checks/history-checks.ts'
import type { Violation } from './checks/records.ts'
import { checkLeftovers } from './checks/recovery-checks.ts'
import type { WinnerCounts } from './checks/winner-counts.ts'
import { makeEventLoop } from './engine/event-loop.ts'
import { epoch } from './engine/process.ts'
import { settledFor } from './engine/settled.ts'
import { makeTrace } from './engine/trace.ts'
import { kinds } from './scenarios/all.ts'
import type { ScenarioName } from './scenarios/names.ts'
import { prepareServers } from './workload/build-scenario.ts'

/** The result of a history. */
export type Outcome = {
  readonly seed: number
  readonly scenario: ScenarioName
  /** The name of its combination of faults. */
  readonly profile: string
  readonly violations: readonly Violation[]
  readonly coverage: ReadonlyMap<string, number>
  /** The measurements, by name. */
  readonly samples: ReadonlyMap<string, readonly number[]>
  readonly winners: WinnerCounts
  readonly lines: readonly string[]
}

/**
 * Runs the history of a seed. The same seed always yields the same history, down to each line of the trace.
 *
 * @returns the coverage, and every violation of a guarantee.
 */
export const runHistory = async (
  seed: number,
  name: ScenarioName,
  isTraced: boolean = false,
): Promise<Outcome> => {
  const loop = makeEventLoop(randomFrom(seed), makeTrace(isTraced), settledFor(seed))
  const kind = kinds[name]
  const scenario = kind.draw(loop)
  const { rates, recorder, options, urls, maxTtl, pace } = scenario
  let ids = 0
  // Generate the same UUIDs in every run.
  crypto.randomUUID = () =>
    `${(++ids).toString(16).padStart(8, '0')}-0000-4000-8000-000000000000` as const
  loop.trace.say(
    () =>
      `${name}, seed ${seed}: ${rates.profile}, ${urls.length} nodes, ttl ${options.ttl} to ${maxTtl} ms, day ${epoch}, pace ${JSON.stringify(pace)}`,
  )
  prepareServers(scenario)
  await kind.run(scenario)
  checkLeftovers(scenario)
  checkHistory(recorder, rates, options.driftFactor)
  return {
    seed,
    scenario: name,
    profile: rates.profile,
    violations: recorder.violations,
    coverage: recorder.coverage,
    samples: recorder.samples,
    winners: recorder.winners,
    lines: loop.trace.lines,
  }
}
