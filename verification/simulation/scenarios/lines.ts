import { checkLines, heldPeriods } from '../checks/line-checks.ts'
import { quorumRoundTripOf } from '../checks/round-trip.ts'
import { checkStream } from '../checks/stream-check.ts'
import type { EventLoop } from '../engine/event-loop.ts'
import { drawCalls, drawLine, holdFirst, idle } from '../workload/draw-lines.ts'
import { letAllEnd } from '../workload/let-all-end.ts'
import { type LineCall, runLines } from '../workload/line.ts'
import type { Scenario } from '../workload/scenario.ts'
import { noneSick, strikeMinority } from '../workload/sick-nodes.ts'
import { startClient } from '../workload/simulated-client.ts'
import type { HistoryKind } from './kind.ts'

// Several calls of a process wait for the same key, in one or two processes.

// A waiting call contacts one node first, and gives it a head start of at most this many ms.
const maxHeadStart = 250
// Longer than any call waits, in ms.
const forEver = 10_000

const draw = (loop: EventLoop): Scenario => drawLine(loop, 'lines', () => ({ localQueue: true }))

/** Draws many calls of one process that start one after the other and have the same `wait`. */
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
    retry: { delay: 50, maxDelay: 250 },
  }))
}

/** Limits the attempts of a call, so that it gives up before its `wait` ends, even if other calls make its attempts. */
const withAttempts = ({ loop: { random } }: Scenario, call: LineCall): LineCall => ({
  ...call,
  retry: { ...call.retry, attempts: random.whole(1, 4) },
})

const drawLines = (scenario: Scenario): LineCall[] => {
  const { random } = scenario.loop
  const processes = random.pick([1, 1, 1, 2])
  const clients = Array.from({ length: processes }, (_, index) =>
    startClient(scenario, `p${index + 1}`),
  )
  const calls = drawCalls(scenario, {
    minCalls: 2,
    maxWait: 3_000,
    clientOf: () => random.pick(clients),
    drawHoldTime: () => random.pick([0, random.between(0, 300)]),
  })
  return calls.map((call) => (random.chance(0.2) ? withAttempts(scenario, call) : call))
}

const run = async (scenario: Scenario): Promise<void> => {
  const { loop, servers, distance } = scenario
  const { random } = loop
  const isStream = random.chance(0.1)
  const isOutage = !isStream && random.chance(0.3)
  const hasSickNodes = !isStream && !isOutage && random.chance(0.4)
  const minority = hasSickNodes ? strikeMinority(scenario) : noneSick(scenario)
  const holdTime = isStream ? forEver : random.pick([0, random.between(0, 2_000), forEver])
  if (holdTime > 0) await holdFirst(scenario, holdTime)
  const [isHeld, begun] = [heldPeriods(scenario).length > 0, loop.now()]
  let outageFrom = Infinity
  const beginOutage = (): void => {
    // Replies that are in transit still arrive.
    outageFrom = loop.now() + distance.max('', '')
    for (const server of servers) {
      minority.sick.strike(server, random.pick(['hangs', 'refuses', 'rejects']))
    }
  }
  if (isOutage) loop.after(random.pick([0, random.between(0, 1_000)]), beginOutage)
  const calls = isStream ? drawStream(scenario) : drawLines(scenario)
  await runLines(scenario, calls, 20_000)
  const roundTrip = quorumRoundTripOf(scenario, 'p1', minority.has)
  checkLines(scenario, calls, {
    lastAttempt: 50 + 5 * roundTrip + (hasSickNodes ? maxHeadStart : 0),
    maxPause: ({ retry }) => retry.maxDelay,
    attemptTime: 50 + maxHeadStart + 20 * roundTrip,
    attempts: minority.ailments.length > 0 ? 4 : 1,
    held: heldPeriods(scenario),
    outageFrom,
    // A faulty node can grant the lock much later, so the key there can live much longer.
    expiresAt:
      holdTime === forEver && isHeld && !hasSickNodes ? begun + scenario.options.ttl : Infinity,
  })
  if (isStream) checkStream(scenario, calls)
  await loop.runUntil(loop.now() + 12_000)
  await letAllEnd(scenario, minority.sick)
}

export const lines: HistoryKind = { draw, run }
