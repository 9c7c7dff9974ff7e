import { checkBurst } from '../checks/burst-checks.ts'
import { quorumRoundTrip } from '../checks/round-trip.ts'
import { tooShort, type Weather } from '../checks/weather.ts'
import { nearDistance } from '../engine/distance.ts'
import type { EventLoop } from '../engine/event-loop.ts'
import { makeStalls, type Stalled } from '../engine/stalls.ts'
import { buildScenario } from '../workload/build-scenario.ts'
import { type BurstCall, runBurst } from '../workload/burst.ts'
import { drawBurst, drawBurstSettings, drawTarget } from '../workload/draw-burst.ts'
import { calm } from '../workload/fault-rates.ts'
import { letAllEnd } from '../workload/let-all-end.ts'
import { callNext } from '../workload/next-call.ts'
import type { Scenario } from '../workload/scenario.ts'
import { makeSickNodes } from '../workload/sick-nodes.ts'
import { useAllOnce } from '../workload/warm-up.ts'
import type { HistoryKind } from './kind.ts'

// Several clients call at the same moment on a busy machine. All nodes are healthy, but event loops stall, timers fire
// late, and replies are processed late.

// A `wait` of this length is enough to find a winner, in ms.
const longWait = 6_000
// The maximum lateness of a process, after several stalls in a row, in ms.
const maxLate = 5_000

type Kind = { readonly weather: Weather; readonly what?: Stalled }

/** By the name of the profile. */
const stalls = {
  pauses: { weather: 'processes pause', what: 'both' },
  'late timers': { weather: 'timers are late' },
  'slow timers': { weather: 'timers are late', what: 'timers' },
  'unread answers': { weather: 'answers wait to be read', what: 'answers' },
} as const satisfies Record<string, Kind>

const isProfile = (name: string): name is keyof typeof stalls => name in stalls
const kindOf = ({ rates: { profile } }: Scenario): Kind =>
  isProfile(profile) ? stalls[profile] : stalls.pauses

/** Stalls the event loops until the burst has ended: each separately, or all together as on one machine. */
const stallOften = ({ loop, stalls }: Scenario, what: Stalled, isOver: () => boolean): void => {
  const { random, after } = loop
  const longest = random.pick([20, 100, 100, 300, 1_000])
  const pause = longest * random.pick([0.5, 1, 3])
  const isShared = random.chance(0.5)
  const stallNext = (names: readonly string[]): void =>
    void after(random.between(0, 2 * pause), () => {
      if (isOver()) return
      const time = random.between(0, longest)
      for (const name of names) stalls!.stall(name, what, time)
      stallNext(names)
    })
  const names = stalls!.names()
  if (isShared) stallNext(names)
  else for (const name of names) stallNext([name])
}

const run = async (scenario: Scenario): Promise<void> => {
  const { random } = scenario.loop
  const { weather, what } = kindOf(scenario)
  const target = drawTarget(scenario)
  const drawn = drawBurst(scenario, target, {
    size: random.chance(0.04) ? [30, 50] : [2, 10],
    spread: random.pick([0, 0, 0, 5, 50]),
    longWait,
  })
  // `acquire` with a single attempt does not wait either.
  const calls = drawn.map(({ client, delay, wait }): BurstCall => ({
    client,
    delay,
    wait,
    isOneAttempt: random.chance(0.5),
  }))
  if (random.chance(0.7))
    await useAllOnce(
      scenario,
      calls.map(({ client }) => client),
    )
  let isOver = false
  if (what) stallOften(scenario, what, () => isOver)
  await runBurst(scenario, calls, target)
  isOver = true
  checkBurst(scenario, calls, {
    hasLateNodes: true,
    maxLate,
    name: weather,
    weather: calls.every(({ wait }) => wait === 0 || wait >= longWait) ? weather : tooShort,
    minWinners: 1,
    maxWinners: 1,
    isAnswered: false,
    limitsTime: false,
    roundTrip: quorumRoundTrip(scenario, calls, () => false),
  })
  await callNext(scenario, calls, target, () => false)
  await letAllEnd(scenario, makeSickNodes(scenario))
}

export const stalledBurst: HistoryKind = {
  draw: (loop: EventLoop) => {
    const { random } = loop
    const [min, max] = random.pick([
      [0.3, 2],
      [3, 10],
      [10, 40],
    ] as const)
    const profile = random.pick(Object.keys(stalls))
    const latest = profile === 'late timers' ? random.pick([5, 30, 100]) : 0
    const share = random.pick([0.2, 1])
    const ttl = random.pick([60_000, 120_000])
    return buildScenario(loop, {
      rates: { ...calm, profile, distance: max },
      count: random.pick([3, 3, 5, 5, 5, 7]),
      distance: nearDistance(min, max),
      stalls: makeStalls(loop, (own) =>
        latest > 0 && own.chance(share) ? own.between(0, latest) : 0,
      ),
      ...drawBurstSettings(random, ttl),
    })
  },
  run,
}
