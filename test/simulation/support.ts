import { type Pace, usualPace } from '../../src/local/pace.ts'
import { randomFrom } from '../../tools/random.ts'
import { nearDistance } from '../../verification/simulation/engine/distance.ts'
import { makeEventLoop } from '../../verification/simulation/engine/event-loop.ts'
import { makeTrace } from '../../verification/simulation/engine/trace.ts'
import { buildScenario } from '../../verification/simulation/workload/build-scenario.ts'
import { calm } from '../../verification/simulation/workload/fault-rates.ts'
import type { Scenario } from '../../verification/simulation/workload/scenario.ts'

/** Three servers, each 5 to 10 ms away one way, and no faults. */
export const calmScenario = (pace: Pace = usualPace): Scenario => {
  const random = randomFrom(1)
  return buildScenario(makeEventLoop(random, makeTrace(false)), {
    rates: calm,
    count: 3,
    distance: nearDistance(random, 5, 10),
    keys: ['k'],
    maxTtl: 10_000,
    options: {
      ttl: 10_000,
      driftFactor: 0.01,
      nodeTimeout: undefined,
      retry: {},
      localQueue: true,
    },
    checksForSecrets: false,
    pace,
  })
}

/** The names of the checks that the history has violated. */
export const violated = ({ recorder }: Scenario): string[] =>
  recorder.violations.map(({ check }) => check)
