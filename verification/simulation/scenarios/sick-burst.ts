import { checkBurst } from '../checks/burst-checks.ts'
import { quorumRoundTrip } from '../checks/round-trip.ts'
import { nearDistance } from '../engine/distance.ts'
import { buildScenario } from '../workload/build-scenario.ts'
import { type BurstCall, runBurst } from '../workload/burst.ts'
import { calm } from '../workload/fault-rates.ts'
import type { Scenario } from '../workload/scenario.ts'
import { ailments, drawMinority, makeSickNodes } from '../workload/sick-nodes.ts'
import { startClient } from '../workload/simulated-client.ts'
import type { HistoryKind } from './kind.ts'

// Several clients ask at the same moment for a lock, for several keys or for a throttle, while a
// minority of the nodes is sick.

// No call takes that long, in ms.
const limit = 12_000

const drawWaits = ({ loop: { random } }: Scenario, size: number): number[] => {
  const share = random.unit()
  const isMixed = random.chance(0.5)
  return Array.from({ length: size }, () => {
    if (share < 0.6 || (isMixed && random.chance(0.5))) return 0
    return share < 0.85 ? random.between(500, 2_000) : random.between(1, 100)
  })
}

const drawCalls = (scenario: Scenario): BurstCall[] => {
  const { random } = scenario.loop
  const size = random.chance(0.04) ? 30 : random.whole(2, 10)
  const spread = random.pick([0, 0, 0, 5, 50])
  return drawWaits(scenario, size).map((wait, index) => ({
    client: startClient(scenario, `b${index + 1}`),
    delay: random.between(0, spread),
    wait,
    calledAt: 0,
    settledAt: 0,
    result: undefined,
  }))
}

const run = async (scenario: Scenario): Promise<void> => {
  const { loop, network } = scenario
  const { random, after } = loop
  const sick = makeSickNodes(scenario)
  const minority = random.chance(0.8) ? drawMinority(scenario) : []
  const isSick = (name: string): boolean => minority.some((server) => server.name === name)
  const names = minority.map((server) => {
    const ailment = random.pick(ailments)
    const strike = (): void => sick.strike(server, ailment)
    if (random.chance(0.2)) after(random.between(0, 60), strike)
    else strike()
    if (random.chance(0.1)) after(random.between(60, 1_500), () => sick.cure(server))
    return ailment
  })
  const calls = drawCalls(scenario)
  const isThrottle = random.chance(0.25)
  const dies = random.chance(0.08)
  if (dies) {
    const { process } = random.pick(calls).client
    after(random.between(1, 40), () => process.kill())
  }
  const hasShortWait = calls.some(({ wait }) => wait > 0 && wait < 500)
  const key = random.pick(['burst', 'burst', ['burst', 'and another']])
  await runBurst(scenario, calls, { key, isThrottle, ttl: scenario.options.ttl }, limit)
  checkBurst(scenario, calls, {
    name: dies
      ? 'one client dies'
      : names.length > 1
        ? 'several nodes are sick'
        : `node ${names[0] ?? 'is well'}`,
    needsWinner: !dies && !hasShortWait,
    limitsTime: !dies,
    roundTrip: Math.max(
      ...calls.map(({ client }) => quorumRoundTrip(scenario, client.process.name, isSick)),
    ),
  })
  await loop.runUntil(loop.now() + 2_500)
  sick.cureAll()
  network.heal()
  await loop.runUntil(loop.now() + 2_500 + scenario.options.ttl)
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
    const ttl = random.pick([5_000, 10_000, 10_000, 30_000])
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
        singleFlight: random.chance(0.5),
      },
      checksForSecrets: random.chance(0.1),
    })
  },
  run,
}
