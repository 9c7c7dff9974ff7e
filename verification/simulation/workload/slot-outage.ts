import { answerTime, checkOutage } from '../checks/outage-checks.ts'
import { quorumRoundTrip } from '../checks/round-trip.ts'
import { runCalls, type Target } from './burst.ts'
import { letAllEnd } from './let-all-end.ts'
import type { Scenario } from './scenario.ts'
import { makeSickNodes } from './sick-nodes.ts'
import type { SlotTarget } from './slot-call.ts'
import { endAll, newCall } from './slot-crowd.ts'

// Clients request a slot while a majority of the nodes is faulty. Some slots may already be taken.

export const outageProfile = 'slots in an outage'

// A node with one of these faults sends no valid reply to any client.
const ailments = ['hangs', 'refuses', 'rejects'] as const

/** Makes some clients take slots, or pass the throttle, while all nodes are healthy. */
const takeSome = async (scenario: Scenario, target: Target, limit: number) => {
  const { loop } = scenario
  const count = loop.random.whole(0, limit)
  const calls = Array.from({ length: count }, (_, index) =>
    newCall(scenario, `h${index + 1}`, 0, 0),
  )
  const releases = await runCalls(scenario, calls, target)
  // Wait for late replies and for the rollbacks of rejected calls.
  await loop.runUntil(loop.now() + 200)
  return releases
}

/**
 * Makes so many nodes faulty that no quorum replies.
 *
 * @returns `isPrompt`: whether enough nodes fail immediately that a client need not wait for the others. `isSilent`:
 * whether no node fails immediately.
 */
const strikeMajority = (scenario: Scenario) => {
  const { loop, servers, quorum } = scenario
  const { random } = loop
  const sick = makeSickNodes(scenario)
  const kinds = random.pick([ailments, ailments, ['hangs'] as const, ['refuses'] as const])
  const left = [...servers]
  const failing: (typeof ailments)[number][] = []
  for (let count = random.whole(servers.length - quorum + 1, servers.length); count > 0; count--) {
    const [server] = left.splice(random.whole(0, left.length - 1), 1)
    const ailment = random.pick(kinds)
    sick.strike(server!, ailment)
    failing.push(ailment)
  }
  const prompt = failing.filter((ailment) => ailment !== 'hangs').length
  return { sick, isPrompt: prompt > servers.length - quorum, isSilent: prompt === 0 }
}

export const runOutage = async (scenario: Scenario, slots: SlotTarget): Promise<void> => {
  const { loop, options } = scenario
  const { random } = loop
  const { limit } = slots
  const target = { ...slots, isThrottle: random.chance(0.4), ttl: options.ttl }
  const releases = await takeSome(scenario, target, limit)
  const { sick, isPrompt, isSilent } = strikeMajority(scenario)
  const size = random.whole(1, 2 * limit + 1)
  const spread = random.pick([0, 0, 5, 50])
  const calls = Array.from({ length: size }, (_, index) => {
    const wait = random.chance(0.5) ? 0 : random.between(20, 3_000)
    return newCall(scenario, `b${index + 1}`, wait, random.between(0, spread))
  })
  await runCalls(scenario, calls, target)
  const roundTrip = quorumRoundTrip(scenario, calls, () => false)
  const maxTime = answerTime(scenario, isPrompt, roundTrip)
  checkOutage(scenario, calls, target, { maxTime, isSilent })
  await endAll(scenario, releases)
  await letAllEnd(scenario, sick)
}
