import { type Pace, usualPace } from '../../src/core/process/pace.ts'
import { randomFrom } from '../../tools/random.ts'
import type { Operation } from '../../verification/history/operation.ts'
import { makeOperations } from '../../verification/history/operations.ts'
import type { Refusal, Step } from '../../verification/history/records.ts'
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
    distance: nearDistance(5, 10),
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

/** The records of one operation, each with its time. */
export type Timed = readonly [at: number, step: Step]

/** Has clients take these steps, in the order of their times. Each list is the operation of a process of its own. */
export const takeSteps = (
  { recorder }: Scenario,
  ...lists: readonly (readonly Timed[])[]
): readonly Operation[] => {
  const { all, add } = makeOperations()
  const before = recorder.operations()
  const steps = lists.flatMap((list, index) => {
    const process = `p${before.length + index + 1}`
    return list.map(([at, step]) => ({ ...step, at, process, op: `${process}#1` }))
  })
  for (const one of steps.toSorted((a, b) => a.at - b.at)) add(one)
  Object.assign(recorder, { operations: () => [...before, ...all.values()] })
  return [...all.values()]
}

/** What came of a call; no more than that it was made, for one without a result. */
export const madeCall = (
  [calledAt, settledAt]: readonly [number, number],
  result: 'won' | Refusal | undefined,
  retryAfter: number = 0,
): Operation => {
  const { add } = makeOperations()
  const call = { process: 'p1', op: 'p1#1' }
  const made = add({ ...call, at: calledAt, type: 'called', kind: 'lock', keys: ['k'] })
  const settled = { ...call, at: settledAt }
  if (result === 'won') add({ ...settled, type: 'acquired', validUntil: Infinity })
  else if (result) add({ ...settled, type: 'refused', reason: result, retryAfter })
  return made
}
