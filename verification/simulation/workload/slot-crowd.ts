import { isLockedError, isQuorumError, type Lock } from '../../../src/index.ts'
import { withSlots } from '../../../src/slots/index.ts'
import { checkCrowd, type CrowdCall } from '../checks/crowd-checks.ts'
import { checkSlotName } from '../checks/slot-checks.ts'
import { nearDistance } from '../engine/distance.ts'
import type { EventLoop } from '../engine/event-loop.ts'
import { buildScenario } from './build-scenario.ts'
import { recordError } from './expected-errors.ts'
import { calm } from './fault-rates.ts'
import { endHold, recordHold } from './hold.ts'
import { letAllEnd } from './let-all-end.ts'
import type { Scenario, SimulatedClient } from './scenario.ts'
import { noneSick, strikeMinority } from './sick-nodes.ts'
import { startClient } from './simulated-client.ts'
import type { Seats } from './slot-call.ts'

// Several clients want one of a few slots at about the same time, while a minority of the nodes is sick.
// A holder keeps its slot until all calls have settled.

export const crowdProfile = 'slots in a crowd'

// No call takes that long, in ms.
const maxTime = 30_000

// A full house refuses a call by one request per node. After a crowd, a slot may be held by a bare quorum: if
// one of these nodes answers too late to be heard, the call looks again.
const maxFullHouse = 30

// In ms: enough for a slot to be found.
const longWait = 2_000

export const drawCrowd = (loop: EventLoop): Scenario => {
  const { random } = loop
  const max = random.pick([2, 3, 10])
  const ttl = random.pick([60_000, 120_000])
  return buildScenario(loop, {
    rates: { ...calm, profile: crowdProfile, distance: max },
    count: random.pick([3, 3, 3, 5, 5, 4]),
    distance: nearDistance(random, max / 5, max),
    keys: ['crowd'],
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
}

const finish = async (
  { recorder }: Scenario,
  { process, background }: SimulatedClient,
): Promise<void> => {
  while (background.length > 0) await Promise.all(background.splice(0))
  recorder.endCall(process.name)
}

/** Asks for a slot once. */
const ask = async (
  scenario: Scenario,
  call: CrowdCall,
  { key, limit }: Seats,
): Promise<Lock | undefined> => {
  const { loop, recorder } = scenario
  const { client, wait } = call
  recorder.beginCall(client.process.name)
  call.calledAt = loop.now()
  const waitUntil = (work: Promise<unknown>): void => void client.background.push(work)
  let lock: Lock | undefined
  try {
    lock = await client.redlock.acquire(key, { limit, wait, waitUntil })
    call.result = 'won'
  } catch (error) {
    if (isLockedError(error)) call.result = 'locked'
    else if (isQuorumError(error)) call.result = 'unavailable'
    else throw error
  }
  call.settledAt = loop.now()
  loop.trace.say(() => `${client.process.name} settles: ${call.result}`)
  if (lock) checkSlotName(scenario, lock.keys, limit)
  return lock
}

/** Runs calls until all have settled. Returns functions that release the slots. */
const runCalls = async (
  scenario: Scenario,
  seats: Seats,
  calls: readonly CrowdCall[],
): Promise<(() => Promise<void>)[]> => {
  const { loop } = scenario
  const releases: (() => Promise<void>)[] = []
  let open = calls.length
  const join = async (call: CrowdCall): Promise<void> => {
    const { client, delay } = call
    await client.process.sleep(delay)
    const lock = await ask(scenario, call, seats)
    open--
    if (!lock) return finish(scenario, client)
    const hold = recordHold(scenario, client, lock)
    releases.push(async () => {
      endHold(scenario, client, hold)
      await lock.release()
      await finish(scenario, client)
    })
    return undefined
  }
  for (const call of calls) {
    join(call).catch((error: unknown) => recordError(scenario, 'a call of a crowd', error))
  }
  await loop.runUntil(loop.now() + maxTime, () => open === 0)
  return releases
}

/** Releases slots, and waits until that has arrived. */
const endAll = async (
  scenario: Scenario,
  releases: readonly (() => Promise<void>)[],
): Promise<void> => {
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

const newCall = (scenario: Scenario, name: string, wait: number, delay: number): CrowdCall => ({
  client: startClient(scenario, name, withSlots),
  wait,
  delay,
  calledAt: 0,
  settledAt: 0,
  result: undefined,
})

export const runCrowd = async (scenario: Scenario, seats: Seats): Promise<void> => {
  const { loop, recorder, servers } = scenario
  const { random } = loop
  const minority = random.chance(0.6) ? strikeMinority(scenario) : noneSick(scenario)
  const isCalm = minority.ailments.length === 0
  const size = random.chance(0.05) ? 30 : random.whole(1, 2 * seats.limit + 1)
  const spread = random.pick([0, 0, 5, 50])
  const wait = random.chance(0.5) ? 0 : random.between(longWait, 2 * longWait)
  const calls = Array.from({ length: size }, (_, index) =>
    newCall(scenario, `b${index + 1}`, wait, random.between(0, spread)),
  )
  const releases = await runCalls(scenario, seats, calls)
  // Late replies and rollbacks of those who were refused.
  await loop.runUntil(loop.now() + (isCalm ? 200 : 3_000))
  checkCrowd(scenario, calls, { ...seats, minority, needsAll: wait > 0 })
  if (releases.length === seats.limit && isCalm) {
    const late = newCall(scenario, 'late', 0, 0)
    const before = recorder.askings.size
    await runCalls(scenario, seats, [late])
    const asked = [...recorder.askings.values()].slice(before)
    const requests = asked.reduce((sum, { acquires }) => sum + acquires, 0)
    recorder.covered('slots: a full house')
    recorder.measured('slots, requests of a full house, per node', requests / servers.length)
    if (late.result !== 'locked' || requests > maxFullHouse * servers.length) {
      recorder.violated('full house', `${late.result} after ${requests} requests`)
    }
    await endAll(scenario, [releases.pop()!])
    // Without a `wait`, one of 2,590 was refused: each node has another slot that its winner lacks.
    const next = newCall(scenario, 'next', longWait, 0)
    releases.push(...(await runCalls(scenario, seats, [next])))
    if (next.result !== 'won') recorder.violated('free slot', `${next.result} for a free slot`)
  }
  await endAll(scenario, releases)
  await letAllEnd(scenario, minority.sick)
}
