import { checkLines } from '../checks/line-checks.ts'
import { quorumRoundTripOf } from '../checks/round-trip.ts'
import { checkStream } from '../checks/stream-check.ts'
import { nearDistance } from '../engine/distance.ts'
import type { EventLoop } from '../engine/event-loop.ts'
import { buildScenario } from '../workload/build-scenario.ts'
import { calm } from '../workload/fault-rates.ts'
import { letAllEnd } from '../workload/let-all-end.ts'
import { type Held, type LineCall, runLines } from '../workload/line.ts'
import type { Scenario, SimulatedClient } from '../workload/scenario.ts'
import { noneSick, strikeMinority } from '../workload/sick-nodes.ts'
import { startClient } from '../workload/simulated-client.ts'
import type { HistoryKind } from './kind.ts'

// Several calls of one process wait for the same key, in one or two processes.

// A call that waits asks one node first, and gives it a head start of so many ms.
const maxHeadStart = 250
// Longer than anybody waits, in ms.
const forEver = 10_000

const draw = (loop: EventLoop): Scenario => {
  const { random } = loop
  const max = random.pick([2, 5, 10])
  return buildScenario(loop, {
    rates: { ...calm, profile: 'lines', distance: max },
    count: random.pick([3, 3, 5]),
    distance: nearDistance(random, max / 5, max),
    keys: ['line'],
    maxTtl: 20_000,
    options: {
      ttl: 20_000,
      driftFactor: 0.01,
      nodeTimeout: random.pick([undefined, undefined, 500]),
      retry: {},
      singleFlight: true,
    },
    checksForSecrets: random.chance(0.1),
  })
}

export const idle = {
  abortAfter: Infinity,
  holdTime: 0,
  calledAt: 0,
  settledAt: 0,
  result: undefined,
  retryAfter: 0,
}

/** Many calls of one process, one after the other, which all wait equally long. */
const drawStream = (scenario: Scenario): LineCall[] => {
  const { random } = scenario.loop
  const client = startClient(scenario, 'p1')
  const gap = random.between(5, 20)
  const wait = random.between(300, 600)
  return Array.from({ length: random.whole(20, 40) }, (_, index) => ({
    ...idle,
    name: `call-${index + 1}`,
    client,
    delay: index * gap,
    wait,
    retry: { minDelay: 50, maxDelay: 250 },
  }))
}

const drawCalls = (scenario: Scenario): LineCall[] => {
  const { random } = scenario.loop
  const processes = random.pick([1, 1, 1, 2])
  const clients = Array.from({ length: processes }, (_, index) =>
    startClient(scenario, `p${index + 1}`),
  )
  const spread = random.pick([0, 50, 1_000])
  return Array.from({ length: random.whole(2, 8) }, (_, index) => {
    const minDelay = random.pick([5, 50, 50, 400])
    return {
      ...idle,
      name: `call-${index + 1}`,
      client: random.pick(clients),
      delay: random.between(0, spread),
      wait: random.pick([random.between(20, 300), random.between(300, 3_000)]),
      retry: { minDelay, maxDelay: minDelay * random.pick([1, 5]) },
      abortAfter: random.chance(0.15) ? random.between(0, 1_000) : Infinity,
      holdTime: random.pick([0, random.between(0, 300)]),
    }
  })
}

/** Another process has the lock for a while, or for longer than anybody waits. */
export const holdFirst = async (
  scenario: Scenario,
  held: Held[],
  time: number,
  { process, redlock, background }: SimulatedClient = startClient(scenario, 'h'),
): Promise<void> => {
  const { loop, recorder } = scenario
  recorder.beginCall(process.name)
  const waitUntil = (work: Promise<unknown>): void => void background.push(work)
  const lock = await redlock.acquire('line', { waitUntil })
  const period = { from: 0, until: Infinity }
  held.push(period)
  await process.sleep(time)
  period.until = loop.now()
  await lock.release()
  while (background.length > 0) await Promise.all(background.splice(0))
  recorder.endCall(process.name)
}

const run = async (scenario: Scenario): Promise<void> => {
  const { loop, servers, distance } = scenario
  const { random } = loop
  const held: Held[] = []
  const isStream = random.chance(0.1)
  const isOutage = !isStream && random.chance(0.3)
  const hasSickNodes = !isStream && !isOutage && random.chance(0.4)
  const minority = hasSickNodes ? strikeMinority(scenario) : noneSick(scenario)
  const holdTime = isStream ? forEver : random.pick([0, random.between(0, 2_000), forEver])
  if (holdTime > 0) {
    void holdFirst(scenario, held, holdTime)
    await loop.runUntil(loop.now() + random.between(30, 60), () => held.length > 0)
  }
  const [isHeld, begun] = [held.length > 0, loop.now()]
  let outageFrom = Infinity
  const beginOutage = (): void => {
    // Answers that are on their way still arrive.
    outageFrom = loop.now() + distance.max('', '')
    for (const server of servers) {
      minority.sick.strike(server, random.pick(['hangs', 'refuses', 'rejects']))
    }
  }
  if (isOutage) loop.after(random.pick([0, random.between(0, 1_000)]), beginOutage)
  const calls = isStream ? drawStream(scenario) : drawCalls(scenario)
  await runLines(scenario, calls, held, 20_000)
  const roundTrip = quorumRoundTripOf(scenario, 'p1', minority.has)
  checkLines(scenario, calls, {
    lastAttempt: 50 + 5 * roundTrip + (hasSickNodes ? maxHeadStart : 0),
    attemptTime: 50 + maxHeadStart + 20 * roundTrip,
    attempts: minority.ailments.length > 0 ? 4 : 1,
    held,
    outageFrom,
    // A sick node may have granted the lock much later, so its key may live much longer.
    expiresAt:
      holdTime === forEver && isHeld && !hasSickNodes ? begun + scenario.options.ttl : Infinity,
  })
  if (isStream) checkStream(scenario, calls)
  await loop.runUntil(loop.now() + 12_000)
  await letAllEnd(scenario, minority.sick)
}

export const lines: HistoryKind = { draw, run }
