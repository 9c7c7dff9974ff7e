import { withSlots } from '../../../src/index.ts'
import { type BurstRules, checkBurst } from '../checks/burst-checks.ts'
import { quorumRoundTrip } from '../checks/round-trip.ts'
import { haveSameHolders, requestsOfRefusal } from '../checks/slot-checks.ts'
import { amongSick } from '../checks/weather.ts'
import { nearDistance } from '../engine/distance.ts'
import type { EventLoop } from '../engine/event-loop.ts'
import { buildScenario } from './build-scenario.ts'
import { type BurstCall, hasWon, type Release, resultOf, runCalls, type Target } from './burst.ts'
import { recordError } from './expected-errors.ts'
import { calm } from './fault-rates.ts'
import { letAllEnd } from './let-all-end.ts'
import type { Scenario } from './scenario.ts'
import { answersLate, type Minority, noneSick, strikeMinority } from './sick-nodes.ts'
import { startClient } from './simulated-client.ts'
import type { SlotTarget } from './slot-call.ts'

// Several clients compete for a few slots at about the same time, while a minority of the nodes is faulty. A holder
// keeps its slot until all calls have settled.

export const crowdProfile = 'slots in a crowd'

// An upper bound on the duration of a release, in ms.
const maxTime = 30_000

// A `wait` of this length is enough to find a slot, in ms.
const longWait = 2_000

export const drawCrowd = (loop: EventLoop, profile = crowdProfile): Scenario => {
  const { random } = loop
  const max = random.pick([2, 3, 10])
  const ttl = random.pick([60_000, 120_000])
  return buildScenario(loop, {
    rates: { ...calm, profile, distance: max },
    count: random.pick([3, 3, 3, 5, 5, 4]),
    distance: nearDistance(max / 5, max),
    keys: ['crowd'],
    maxTtl: ttl,
    options: {
      ttl,
      driftFactor: 0.01,
      nodeTimeout: random.pick([undefined, undefined, 500]),
      retry: {},
      localQueue: random.chance(0.5),
    },
    checksForSecrets: random.chance(0.1),
  })
}

/** Releases slots, and waits until the releases have arrived. */
export const endAll = async (scenario: Scenario, releases: readonly Release[]): Promise<void> => {
  const { loop, recorder } = scenario
  let open = releases.length
  for (const release of releases) {
    release()
      .catch((error: unknown) => recordError(scenario, 'the release of a slot', error))
      .finally(() => open--)
  }
  await loop.runUntil(loop.now() + maxTime, () => open === 0)
  if (open > 0) recorder.violated('settled', `${open} releases have not ended`)
  await loop.runUntil(loop.now() + 100)
}

/** A call that has not been made yet. Times in ms. */
export const newCall = (
  scenario: Scenario,
  name: string,
  wait: number,
  delay: number,
): BurstCall => ({
  client: startClient(scenario, name, withSlots),
  wait,
  delay,
})

const drawCalls = (scenario: Scenario, limit: number): BurstCall[] => {
  const { random } = scenario.loop
  const size = random.chance(0.05) ? 30 : random.whole(1, 2 * limit + 1)
  const spread = random.pick([0, 0, 5, 50])
  const wait = random.chance(0.5) ? 0 : random.between(longWait, 2 * longWait)
  return Array.from({ length: size }, (_, index) =>
    newCall(scenario, `b${index + 1}`, wait, random.between(0, spread)),
  )
}

const rulesOf = (
  scenario: Scenario,
  calls: readonly BurstCall[],
  limit: number,
  { ailments, has }: Minority,
): BurstRules => {
  const maxWinners = Math.min(limit, calls.length)
  const nodes = ailments.length > 0 ? 'sick nodes' : 'all nodes well'
  const doWait = calls[0]!.wait > 0
  return {
    name: `slots taken ${doWait ? 'by waiters' : 'at once'}, ${nodes}`,
    weather: `slots, ${amongSick(ailments.length) ?? 'all nodes are well'}`,
    // If clients do not wait, a slot for which two of them competed can stay free.
    minWinners: doWait ? maxWinners : 1,
    maxWinners,
    isAnswered: true,
    limitsTime: true,
    roundTrip: quorumRoundTrip(scenario, calls, has),
    hasLateNodes: answersLate(ailments),
  }
}

/** Checks that a call is rejected while all slots are taken, and contacts as many nodes as its strategy requires. */
const checkAllTaken = async (scenario: Scenario, target: SlotTarget & Target): Promise<void> => {
  const { recorder, servers } = scenario
  const isOneRound = haveSameHolders(scenario, target)
  const late = newCall(scenario, 'late', 0, 0)
  const { strategy } = late.client
  const [min, max] = requestsOfRefusal(scenario, target, strategy)
  const before = recorder.askings.size
  await runCalls(scenario, [late], target)
  const asked = [...recorder.askings.values()].slice(before)
  const requests = asked.reduce((sum, { acquires }) => sum + acquires, 0)
  const name = `slots: all slots are taken${isOneRound ? ', on every node' : ''}`
  recorder.covered(name)
  recorder.measured(`${name}, requests per node`, requests / servers.length)
  const text = `${resultOf(late)} after ${requests} requests (${strategy})`
  if (resultOf(late) !== 'locked') recorder.violated('all slots taken', text)
  else if (requests < min || requests > max) recorder.exceeded('all slots taken', text)
}

export const runCrowd = async (scenario: Scenario, slots: SlotTarget): Promise<void> => {
  const { loop, recorder, options } = scenario
  const { limit } = slots
  const target = { ...slots, isThrottle: false, ttl: options.ttl }
  const minority = loop.random.chance(0.6) ? strikeMinority(scenario) : noneSick(scenario)
  const isCalm = minority.ailments.length === 0
  const calls = drawCalls(scenario, limit)
  const releases = await runCalls(scenario, calls, target)
  // Wait for late replies and for the rollbacks of rejected calls.
  await loop.runUntil(loop.now() + (isCalm ? 200 : 3_000))
  const rules = rulesOf(scenario, calls, limit, minority)
  checkBurst(scenario, calls, rules)
  if (releases.length === rules.maxWinners) recorder.covered(`slots: all ${rules.name}`)
  if (releases.length === limit && isCalm) {
    await checkAllTaken(scenario, target)
    await endAll(scenario, [releases.pop()!])
    // Without a `wait`, one of 2,590 calls was rejected: on each node, a different slot was without its winner.
    const next = newCall(scenario, 'next', longWait, 0)
    releases.push(...(await runCalls(scenario, [next], target)))
    if (!hasWon(next)) recorder.violated('free slot', `${resultOf(next)} for a free slot`)
  }
  await endAll(scenario, releases)
  await letAllEnd(scenario, minority.sick)
}
