import { waitScript } from '../../../src/redis/scripts/wait-script.ts'
import { wakingReleaseScript } from '../../../src/redis/scripts/waking-release-script.ts'
import { withWakeUp } from '../../../src/index.ts'
import { checkLines, heldPeriods } from '../checks/line-checks.ts'
import { quorumRoundTripOf } from '../checks/round-trip.ts'
import { checkBudget, checkClosed, checkIdle } from '../checks/wake-up-checks.ts'
import type { EventLoop } from '../engine/event-loop.ts'
import type { StreamFaults } from '../engine/streams.ts'
import { drawCalls, drawLine, holdFirst } from '../workload/draw-lines.ts'
import { letAllEnd } from '../workload/let-all-end.ts'
import { type LineCall, runLines } from '../workload/line.ts'
import type { Scenario } from '../workload/scenario.ts'
import { noneSick, strikeMinority } from '../workload/sick-nodes.ts'
import { startClient } from '../workload/simulated-client.ts'
import type { HistoryKind } from './kind.ts'

// Calls of several processes wait for one lock, and releases wake them with messages. Messages are lost, late,
// duplicated or never sent. Servers reject streams, are silent, or end streams without notice.

// Even with a working stream, a waiting call retries after at most this many ms.
const pollingFloor = 2_050

// All nodes are healthy, all streams work, every release sends messages, and every call waits for a long time.
const calmProfile = 'wake-up, all well'

const draw = (loop: EventLoop): Scenario => {
  const { random } = loop
  const isCalm = random.chance(0.1)
  return drawLine(loop, isCalm ? calmProfile : 'wake-up', (servers) => ({
    localQueue: random.chance(0.5),
    // A smaller budget leaves no requests for messages.
    ...(!isCalm && random.chance(0.2) && { budget: random.whole(2 * servers + 6, 60) }),
  }))
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

const drawWaiters = (scenario: Scenario, isCalm: boolean): LineCall[] => {
  const { random } = scenario.loop
  const clients = Array.from({ length: random.whole(1, 5) }, (_, index) =>
    startClient(scenario, `p${index + 1}`, withWakeUp),
  )
  const shortHold = (): number => random.between(0, 300)
  const calls = drawCalls(scenario, {
    minCalls: clients.length,
    maxWait: 8_000,
    clientOf: (index) => clients[index % clients.length]!,
    drawHoldTime: () => random.pick([0, shortHold(), random.between(0, 3_000)]),
  })
  if (!isCalm) return calls
  return calls.map((call): LineCall => {
    const changes = { wait: 8_000, abortAfter: Infinity, holdTime: shortHold() }
    return Object.assign(call, changes)
  })
}

/**
 * Makes a process acquire and hold the lock. In most histories, the release sends a message.
 *
 * @param isUnheard - Whether the release never reaches the first node, which sends the messages.
 */
const holdBefore = async (
  scenario: Scenario,
  isCalm: boolean,
  isUnheard: boolean,
): Promise<void> => {
  const { loop, recorder, network, servers } = scenario
  const { random } = loop
  const wakes = isCalm || random.chance(0.8)
  if (!wakes) recorder.covered('wake-up: a release that sends no message')
  const holder = startClient(scenario, 'h', wakes ? withWakeUp : undefined)
  const shortHold = random.between(0, 3_000)
  const isShort = isCalm || isUnheard || random.chance(0.5)
  const isHolder = (process: string): boolean => process === holder.process.name
  await holdFirst(scenario, isShort ? shortHold : 15_000, holder, () => {
    if (!isUnheard) return
    recorder.covered('wake-up: a release that does not reach the first node')
    network.health.strike(servers[0]!.name, { kind: 'hangs', executes: 'never' }, isHolder)
  })
}

const run = async (scenario: Scenario): Promise<void> => {
  const { loop, network, options, rates, servers } = scenario
  const { random } = loop
  const isCalm = rates.profile === calmProfile
  // Load the scripts: a request that is resent with the source of its script can arrive after its call has ended.
  for (const { load } of servers) [wakingReleaseScript, waitScript].forEach(load)
  network.setStreamFaults(isCalm || random.chance(0.2) ? undefined : drawStreamFaults(loop))
  const hasSickNodes = !isCalm && random.chance(0.3)
  const minority = hasSickNodes ? strikeMinority(scenario) : noneSick(scenario)
  const isUnheard = !isCalm && !hasSickNodes && random.chance(0.2)
  await holdBefore(scenario, isCalm, isUnheard)
  const calls = drawWaiters(scenario, isCalm)
  await runLines(scenario, calls, 20_000, (client) => checkIdle(scenario, client))
  const { budget } = options
  const roundTrip = quorumRoundTripOf(scenario, 'p1', minority.has)
  checkLines(scenario, calls, {
    // A call without remaining budget gives up early.
    lastAttempt: budget === undefined ? 50 + 5 * roundTrip + (hasSickNodes ? 250 : 0) : Infinity,
    // Without faults, a message wakes a call as soon as the lock is free.
    maxPause: ({ retry }) => (isCalm ? 0 : Math.max(pollingFloor, retry.maxDelay)),
    attemptTime: 300 + 20 * roundTrip,
    // Of two attempts in a row, one contacts all nodes.
    attempts: hasSickNodes || isUnheard ? 2 : 1,
    held: heldPeriods(scenario),
    outageFrom: Infinity,
    expiresAt: Infinity,
  })
  if (budget !== undefined) checkBudget(scenario, calls, budget)
  await loop.runUntil(loop.now() + 12_000)
  checkClosed(scenario, calls)
  await letAllEnd(scenario, minority.sick)
}

export const wakeUp: HistoryKind = { draw, run }
