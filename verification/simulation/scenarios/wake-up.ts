import type { Redlock } from '../../../src/index.ts'
import { waitScript } from '../../../src/protocol/wait-script.ts'
import { wakingReleaseScript } from '../../../src/protocol/waking-release-script.ts'
import { withWakeUp } from '../../../src/wake-up/index.ts'
import { checkLines } from '../checks/line-checks.ts'
import { quorumRoundTripOf } from '../checks/round-trip.ts'
import { checkBudget, checkClosed, checkIdle } from '../checks/wake-up-checks.ts'
import { nearDistance } from '../engine/distance.ts'
import type { EventLoop } from '../engine/event-loop.ts'
import type { StreamFaults } from '../engine/streams.ts'
import { buildScenario } from '../workload/build-scenario.ts'
import { recordError } from '../workload/expected-errors.ts'
import { calm } from '../workload/fault-rates.ts'
import { letAllEnd } from '../workload/let-all-end.ts'
import { type Held, type LineCall, runLines } from '../workload/line.ts'
import type { Scenario } from '../workload/scenario.ts'
import { noneSick, strikeMinority } from '../workload/sick-nodes.ts'
import { startClient } from '../workload/simulated-client.ts'
import type { HistoryKind } from './kind.ts'
import { holdFirst, idle } from './lines.ts'

// Calls of several processes wait for one lock, and releases wake them by messages, which are lost, late,
// repeated or never sent. Servers refuse streams, are silent, or end streams without a word.

// A waiter whose stream works tries again after so many ms at the latest.
const pollingFloor = 2_050

const draw = (loop: EventLoop): Scenario => {
  const { random } = loop
  const max = random.pick([2, 5, 10])
  const count = random.pick([3, 3, 5])
  // A budget below that leaves nothing for messages.
  const least = 2 * count + 6
  return buildScenario(loop, {
    rates: { ...calm, profile: 'wake-up', distance: max },
    count,
    distance: nearDistance(random, max / 5, max),
    keys: ['line'],
    maxTtl: 20_000,
    options: {
      ttl: 20_000,
      driftFactor: 0.01,
      nodeTimeout: random.pick([undefined, undefined, 500]),
      retry: {},
      singleFlight: random.chance(0.5),
      ...(random.chance(0.2) && { budget: random.whole(least, 60) }),
    },
    checksForSecrets: random.chance(0.1),
  })
}

/** The servers know the scripts: a request that is sent again with the source may come after its call. */
const loadScripts = ({ servers, token }: Scenario): void => {
  const authorization = `Bearer ${token}`
  const release = [
    '4',
    'lock:q:-',
    'lock:l:-',
    'lock:f:-',
    'lock:x:-',
    'r',
    '-',
    '1',
    '600000',
    '0',
  ]
  const leave = ['2', 'lock:q:-', 'lock:l:-', 'l', '-', '0', '1']
  for (const { handle } of servers) {
    const run = (words: string[]) => handle({ method: 'POST', authorization, words })
    run(['EVAL', wakingReleaseScript.source, ...release])
    run(['EVAL', waitScript.source, ...leave])
  }
}

const drawStreamFaults = ({ random }: EventLoop): StreamFaults => {
  const rate = (max: number): number => (random.chance(0.5) ? 0 : random.between(0, max))
  return {
    answers: random.pick([
      ...(['streams', 'streams', 'streams', 'streams', 'streams'] as const),
      ...(['refuses', 'hangs', 'is no stream', 'is silent'] as const),
    ]),
    lost: rate(0.6),
    late: rate(0.5),
    repeated: rate(0.5),
    endsAfter: random.chance(0.7) ? Infinity : random.between(10, 3_000),
  }
}

const drawCalls = (scenario: Scenario, extend: (redlock: Redlock) => Redlock): LineCall[] => {
  const { random } = scenario.loop
  const clients = Array.from({ length: random.whole(1, 5) }, (_, index) =>
    startClient(scenario, `p${index + 1}`, extend),
  )
  const spread = random.pick([0, 50, 1_000])
  return Array.from({ length: random.whole(clients.length, 8) }, (_, index) => {
    const minDelay = random.pick([5, 50, 50, 400])
    return {
      ...idle,
      name: `call-${index + 1}`,
      client: clients[index % clients.length]!,
      delay: random.between(0, spread),
      wait: random.pick([random.between(20, 300), random.between(300, 8_000)]),
      retry: { minDelay, maxDelay: minDelay * random.pick([1, 5]) },
      abortAfter: random.chance(0.15) ? random.between(0, 1_000) : Infinity,
      holdTime: random.pick([0, random.between(0, 300), random.between(0, 3_000)]),
    }
  })
}

const run = async (scenario: Scenario): Promise<void> => {
  const { loop, network, options, recorder } = scenario
  const { random } = loop
  loadScripts(scenario)
  const held: Held[] = []
  const faults = random.chance(0.2) ? undefined : drawStreamFaults(loop)
  network.setStreamFaults(() => faults)
  const minority = random.chance(0.3) ? strikeMinority(scenario) : noneSick(scenario)
  const wakes = random.chance(0.8)
  if (!wakes) recorder.covered('wake-up: a release that sends no message')
  const holder = startClient(scenario, 'h', wakes ? withWakeUp : undefined)
  const holdTime = random.pick([random.between(0, 3_000), 15_000])
  holdFirst(scenario, held, holdTime, holder).catch((error: unknown) =>
    recordError(scenario, 'the first holder', error),
  )
  await loop.runUntil(loop.now() + random.between(30, 60), () => held.length > 0)
  const calls = drawCalls(scenario, withWakeUp)
  const before = new Map(calls.map(({ client: { process } }) => [process.name, 0]))
  await runLines(scenario, calls, held, 20_000, (client) => checkIdle(scenario, client))
  const { budget } = options
  if (budget !== undefined) checkBudget(scenario, calls, before, budget)
  else {
    const roundTrip = quorumRoundTripOf(scenario, 'p1', minority.has)
    const isSick = minority.ailments.length > 0
    checkLines(scenario, calls, {
      lastAttempt: 50 + 5 * roundTrip + (isSick ? 250 : 0),
      attemptTime: pollingFloor + 300 + 20 * roundTrip,
      attempts: isSick ? 4 : 1,
      held,
      outageFrom: Infinity,
      expiresAt: Infinity,
    })
  }
  await loop.runUntil(loop.now() + 12_000)
  checkClosed(scenario, calls)
  await letAllEnd(scenario, minority.sick)
}

export const wakeUp: HistoryKind = { draw, run }
