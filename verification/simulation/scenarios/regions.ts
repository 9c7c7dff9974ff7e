import { checkBurst } from '../checks/burst-checks.ts'
import { quorumRoundTrip } from '../checks/round-trip.ts'
import { amongSick, tooShort } from '../checks/weather.ts'
import { regionalDistance } from '../engine/distance.ts'
import type { EventLoop } from '../engine/event-loop.ts'
import { openingRoundTrips } from '../engine/network.ts'
import { type Region, regions, roundTripBetween } from '../engine/regions.ts'
import { buildScenario } from '../workload/build-scenario.ts'
import { runBurst } from '../workload/burst.ts'
import { drawBurst, drawBurstSettings, drawTarget } from '../workload/draw-burst.ts'
import { calm } from '../workload/fault-rates.ts'
import { letAllEnd } from '../workload/let-all-end.ts'
import { callNext } from '../workload/next-call.ts'
import type { Scenario } from '../workload/scenario.ts'
import { answersLate, noneSick, strikeMinority } from '../workload/sick-nodes.ts'
import { warmUp } from '../workload/warm-up.ts'
import type { HistoryKind } from './kind.ts'

// Several clients call at the same moment, and the nodes are in regions that are far apart.

// A `wait` of this length is enough to find a winner, in ms.
const longWait = 4_000

const homes = ['one region', 'two regions', 'each region'] as const

/** Draws the home region of each process on first use. */
const drawHomes = ({ random }: EventLoop, name: (typeof homes)[number]) => {
  const count = { 'one region': 1, 'two regions': 2, 'each region': regions.length }[name]
  const shuffled = [...regions].sort(() => random.unit() - 0.5).slice(0, count)
  const homeOf = new Map<string, Region>()
  return (process: string): Region => {
    const home = homeOf.get(process) ?? shuffled[homeOf.size % count]!
    homeOf.set(process, home)
    return home
  }
}

const draw = (loop: EventLoop): Scenario => {
  const { random } = loop
  const name = random.pick(homes)
  const isCold = random.chance(0.3)
  const homeOf = drawHomes(loop, name)
  const places = [...regions].sort(() => random.unit() - 0.5)
  // Servers are named n1, n2, ...
  const placeOf = (server: string): Region => places[Number(server.slice(1)) - 1]!
  const ttl = random.pick([60_000, 120_000])
  return buildScenario(loop, {
    rates: { ...calm, profile: `${name}${isCold ? ', cold' : ''}`, distance: 180 },
    count: random.pick([3, 5, 5]),
    distance: regionalDistance((process, server) =>
      roundTripBetween(homeOf(process), placeOf(server)),
    ),
    isCold,
    ...drawBurstSettings(random, ttl),
  })
}

const run = async (scenario: Scenario): Promise<void> => {
  const { random } = scenario.loop
  const { profile } = scenario.rates
  const target = drawTarget(scenario)
  const spread = random.pick([0, 0, 20, 200])
  const calls = drawBurst(scenario, target, { size: [2, 6], spread, longWait })
  const isCold = profile.endsWith('cold')
  if (!isCold && random.chance(0.25)) {
    await warmUp(
      scenario,
      calls.map(({ client }) => client),
    )
  }
  const minority = random.chance(0.3) ? strikeMinority(scenario) : noneSick(scenario)
  await runBurst(scenario, calls, target)
  const isPatient = calls.every(({ wait }) => wait === 0 || wait >= longWait)
  const sick = minority.ailments.length
  checkBurst(scenario, calls, {
    hasLateNodes: answersLate(minority.ailments),
    name: `${profile}${sick > 0 ? ', sick nodes' : ''}`,
    weather: isPatient ? `far nodes, ${amongSick(sick) ?? 'all are well'}` : tooShort,
    minWinners: 1,
    maxWinners: 1,
    isAnswered: isPatient,
    limitsTime: true,
    roundTrip:
      quorumRoundTrip(scenario, calls, minority.has) * (isCold ? 1 + openingRoundTrips : 1),
  })
  await callNext(scenario, calls, target, minority.has)
  await letAllEnd(scenario, minority.sick)
}

/** Clients in one region, in two, or in each; with or without open connections. */
export const farNodes: HistoryKind = { draw, run }
