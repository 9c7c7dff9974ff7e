import { checkBurst } from '../checks/burst-checks.ts'
import { ownersOn } from '../checks/owners.ts'
import { quorumRoundTrip } from '../checks/round-trip.ts'
import { amongSick, leaderDies, tooFewLeft, tooShort, type Weather } from '../checks/weather.ts'
import { nearDistance } from '../engine/distance.ts'
import type { EventLoop } from '../engine/event-loop.ts'
import { buildScenario } from '../workload/build-scenario.ts'
import { type BurstCall, runBurst } from '../workload/burst.ts'
import { drawBurst, drawTarget } from '../workload/draw-burst.ts'
import { calm, type FaultRates, losesMessages } from '../workload/fault-rates.ts'
import { letAllEnd } from '../workload/let-all-end.ts'
import { callNext } from '../workload/next-call.ts'
import type { Scenario } from '../workload/scenario.ts'
import {
  type Ailment,
  answersLate,
  type Minority,
  noneSick,
  strikeMinority,
} from '../workload/sick-nodes.ts'
import { useAllOnce, warmUp } from '../workload/warm-up.ts'
import type { HistoryKind } from './kind.ts'

// Several clients call for a lock, for several keys or for a throttle at the same moment. Meanwhile, a minority of the
// nodes is faulty, or messages are lost.

// A `wait` of this length is enough to find a winner, in ms.
const longWait = 500

const weatherOf = (
  { options, rates }: Scenario,
  ailments: readonly Ailment[],
  dies: boolean,
): Weather => {
  const sick = ailments.length
  if (dies) return 'a client dies'
  if (losesMessages(rates)) return 'messages are lost'
  // With limited concurrency, hanging nodes block requests to other nodes until the clients detect the hang.
  if (options.concurrency !== undefined) {
    return `few nodes at a time, ${amongSick(sick) ?? 'all are well'}`
  }
  if (sick > 1) return 'several nodes are sick'
  return ailments[0] ? `a node ${ailments[0]}` : 'all nodes are well'
}

/**
 * The weather caused by a client that died without a quorum. Undefined if there is no such client, or if any other
 * client can still win.
 */
const leftBehind = (
  scenario: Scenario,
  calls: readonly BurstCall[],
  { has }: Minority,
): Weather | undefined => {
  const { servers, quorum } = scenario
  const dead = calls.find(({ client }) => !client.process.isAlive())?.client.process.name
  if (dead === undefined) return undefined
  const kept = servers.filter((server) => ownersOn(scenario, server).has(dead))
  if (kept.length >= quorum) return undefined
  const well = servers.filter((server) => !has(server.name))
  if (well.filter((server) => !kept.includes(server)).length < quorum) return tooFewLeft
  return well[0] && kept.includes(well[0]) ? leaderDies : undefined
}

const run = async (scenario: Scenario): Promise<void> => {
  const { random, after } = scenario.loop
  const isLossy = losesMessages(scenario.rates)
  const target = drawTarget(scenario)
  const calls = drawBurst(scenario, target, {
    size: random.chance(0.04) ? [30, 30] : [2, 10],
    spread: random.pick([0, 0, 0, 5, 50]),
    longWait,
  })
  // What clients remember of the nodes: the earlier state, the current state, or nothing.
  const knows = random.pick(['then', 'now', 'nothing', 'nothing'])
  const clients = calls.map(({ client }) => client)
  if (knows === 'then') await warmUp(scenario, clients)
  const hasSick = !isLossy && random.chance(0.8)
  const minority = hasSick ? strikeMinority(scenario) : noneSick(scenario)
  if (knows === 'now') await useAllOnce(scenario, clients)
  const dies = !isLossy && random.chance(0.08)
  const hasFewTurns = scenario.options.concurrency !== undefined
  if (dies) {
    const { process } = random.pick(calls).client
    after(random.between(1, 40), () => process.kill())
  }
  const isPatient = calls.every(({ wait }) => wait === 0 || (wait >= longWait && !hasFewTurns))
  await runBurst(scenario, calls, target)
  const name = weatherOf(scenario, minority.ailments, dies)
  const weather = leftBehind(scenario, calls, minority) ?? name
  checkBurst(scenario, calls, {
    hasLateNodes: isLossy || answersLate(minority.ailments),
    name,
    weather: isPatient ? weather : tooShort,
    minWinners: 1,
    maxWinners: 1,
    isAnswered: isPatient && !isLossy,
    limitsTime: !dies && !hasFewTurns && !isLossy,
    roundTrip: quorumRoundTrip(scenario, calls, minority.has),
  })
  await callNext(scenario, calls, target, minority.has)
  await letAllEnd(scenario, minority.sick)
}

// The network resends lost packets, so few messages are lost permanently.
const maxLoss = 0.01

/** Draws the rates of lost messages. They are so low that a quorum nearly always replies. */
const drawLosses = ({ random }: EventLoop): Partial<FaultRates> => {
  const rate = (): number => random.pick([0, random.between(0, maxLoss)])
  return { requestLost: random.between(0, maxLoss), replyLost: rate(), reset: rate() }
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
    const losses = random.chance(0.08) ? drawLosses(loop) : {}
    return buildScenario(loop, {
      rates: { ...calm, profile: 'sick nodes', distance: max, ...losses },
      count: random.pick([3, 3, 3, 5, 5, 5, 4, 7, 9]),
      distance: nearDistance(min, max),
      keys: ['burst'],
      maxTtl: ttl,
      options: {
        ttl,
        driftFactor: 0.01,
        nodeTimeout: random.pick([undefined, undefined, 500]),
        retry: {},
        concurrency: random.chance(0.1) ? random.whole(1, 3) : undefined,
        localQueue: random.chance(0.5),
      },
      checksForSecrets: random.chance(0.1),
    })
  },
  run,
}
