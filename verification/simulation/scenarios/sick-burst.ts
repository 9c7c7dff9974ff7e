import { checkBurst } from '../checks/burst-checks.ts'
import { quorumRoundTrip } from '../checks/round-trip.ts'
import { nearDistance } from '../engine/distance.ts'
import { buildScenario } from '../workload/build-scenario.ts'
import { runBurst } from '../workload/burst.ts'
import { drawBurst, drawTarget } from '../workload/draw-burst.ts'
import { calm } from '../workload/fault-rates.ts'
import { letAllEnd } from '../workload/let-all-end.ts'
import type { Scenario } from '../workload/scenario.ts'
import { type Ailment, answersLate, noneSick, strikeMinority } from '../workload/sick-nodes.ts'
import { warmUp } from '../workload/warm-up.ts'
import type { HistoryKind } from './kind.ts'

// Several clients ask at the same moment for a lock, for several keys or for a throttle, while a
// minority of the nodes is sick.

// In ms: enough for a winner to be found.
const longWait = 500

const nameOf = (ailments: readonly Ailment[], dies: boolean, hasFewTurns: boolean): string => {
  if (hasFewTurns) return 'few nodes are asked at a time'
  if (dies) return 'a client dies'
  if (ailments.length > 1) return 'several nodes are sick'
  return ailments[0] ? `a node ${ailments[0]}` : 'all nodes are well'
}

const run = async (scenario: Scenario): Promise<void> => {
  const { random, after } = scenario.loop
  const target = drawTarget(scenario)
  const calls = drawBurst(scenario, target, {
    size: random.chance(0.04) ? [30, 30] : [2, 10],
    spread: random.pick([0, 0, 0, 5, 50]),
    longWait,
  })
  if (random.chance(0.25)) {
    await warmUp(
      scenario,
      calls.map(({ client }) => client),
    )
  }
  const minority = random.chance(0.8) ? strikeMinority(scenario) : noneSick(scenario)
  const dies = random.chance(0.08)
  // Hung nodes then take the turns of others, until the clients know them: that takes any time.
  const hasFewTurns = scenario.options.concurrency !== undefined
  if (dies) {
    const { process } = random.pick(calls).client
    after(random.between(1, 40), () => process.kill())
  }
  const needsWinner =
    !dies && calls.every(({ wait }) => wait === 0 || (wait >= longWait && !hasFewTurns))
  await runBurst(scenario, calls, target)
  checkBurst(scenario, calls, {
    hasLateNodes: answersLate(minority.ailments),
    name: nameOf(minority.ailments, dies, hasFewTurns),
    minWinners: needsWinner ? 1 : 0,
    maxWinners: 1,
    limitsTime: !dies && !hasFewTurns,
    roundTrip: quorumRoundTrip(scenario, calls, minority.has),
  })
  await letAllEnd(scenario, minority.sick)
}

export const sickBurst: HistoryKind = {
  draw: (loop) => {
    const { random } = loop
    const [min, max] = random.pick([
      [0.3, 2],
      [1, 3],
      [3, 10],
      [1, 10],
    ] as const)
    const ttl = random.pick([60_000, 120_000])
    return buildScenario(loop, {
      rates: { ...calm, profile: 'sick nodes', distance: max },
      count: random.pick([3, 3, 3, 5, 5, 5, 4, 7, 9]),
      distance: nearDistance(random, min, max),
      keys: ['burst'],
      maxTtl: ttl,
      options: {
        ttl,
        driftFactor: 0.01,
        nodeTimeout: random.pick([undefined, undefined, 500]),
        retry: {},
        concurrency: random.chance(0.1) ? random.whole(1, 3) : undefined,
        singleFlight: random.chance(0.5),
      },
      checksForSecrets: random.chance(0.1),
    })
  },
  run,
}
