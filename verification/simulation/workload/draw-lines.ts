import { isLockedError } from '../../../src/index.ts'
import { nearDistance } from '../engine/distance.ts'
import type { EventLoop } from '../engine/event-loop.ts'
import { buildScenario } from './build-scenario.ts'
import { calm } from './fault-rates.ts'
import { acquiredStep } from './hold.ts'
import type { LineCall } from './line.ts'
import type { Scenario, SimulatedClient } from './scenario.ts'
import { startClient } from './simulated-client.ts'

// The common parts of histories in which calls wait for one lock.

type LineOptions = Pick<Scenario['options'], 'localQueue' | 'budget'>

/** Draws nearby servers, and clients with options that depend on the number of servers. */
export const drawLine = (
  loop: EventLoop,
  profile: string,
  drawOptions: (servers: number) => LineOptions,
): Scenario => {
  const { random } = loop
  const max = random.pick([2, 5, 10])
  const count = random.pick([3, 3, 5])
  return buildScenario(loop, {
    rates: { ...calm, profile, distance: max },
    count,
    distance: nearDistance(max / 5, max),
    keys: ['line'],
    maxTtl: 20_000,
    options: {
      ttl: 20_000,
      driftFactor: 0.01,
      nodeTimeout: random.pick([undefined, undefined, 500]),
      retry: {},
      ...drawOptions(count),
    },
    checksForSecrets: random.chance(0.1),
  })
}

/** The defaults of a call: it is never aborted, and its lock is released immediately. */
export const idle = { abortAfter: Infinity, holdTime: 0 }

/** The parameters for drawing the calls of a line. Times in ms. */
export type LineSettings = {
  readonly minCalls: number
  readonly maxWait: number
  /** The client of the call with this index. */
  readonly clientOf: (index: number) => SimulatedClient
  readonly drawHoldTime: () => number
}

// The maximum number of calls in a line.
const maxCalls = 8

export const drawCalls = (
  { loop: { random } }: Scenario,
  { minCalls, maxWait, clientOf, drawHoldTime }: LineSettings,
): LineCall[] => {
  const spread = random.pick([0, 50, 1_000])
  return Array.from({ length: random.whole(minCalls, maxCalls) }, (_, index) => {
    const shortest = random.pick([5, 50, 50, 400])
    return {
      ...idle,
      name: `call-${index + 1}`,
      client: clientOf(index),
      delay: random.between(0, spread),
      wait: random.pick([random.between(20, 300), random.between(300, maxWait)]),
      retry: { delay: shortest, maxDelay: shortest * random.pick([1, 5]) },
      abortAfter: random.chance(0.15) ? random.between(0, 1_000) : Infinity,
      holdTime: drawHoldTime(),
    }
  })
}

const hold = async (
  scenario: Scenario,
  time: number,
  { process, redlock, background }: SimulatedClient,
  beforeRelease: () => void,
): Promise<void> => {
  const { recorder } = scenario
  recorder.beginCall(process.name)
  const waitUntil = (work: Promise<unknown>): void => void background.push(work)
  const call = recorder.called(process.name, { kind: 'lock', keys: ['line'] })
  const lock = await redlock.acquire('line', { waitUntil })
  recorder.say(call, acquiredStep(scenario, process, lock))
  await process.sleep(time)
  recorder.say(call, { type: 'releasing' })
  beforeRelease()
  await lock.release()
  while (background.length > 0) await Promise.all(background.splice(0))
  recorder.endCall(process.name)
}

/**
 * Makes another process acquire the lock and hold it for `time` ms. Returns when the process holds the lock, or after a
 * while, because the call can take arbitrarily long with faulty nodes.
 */
export const holdFirst = async (
  scenario: Scenario,
  time: number,
  client: SimulatedClient = startClient(scenario, 'h'),
  beforeRelease = (): void => {},
): Promise<void> => {
  const { loop, recorder } = scenario
  hold(scenario, time, client, beforeRelease).catch((error: unknown) => {
    // A faulty node can delay the call until other calls have started.
    if (isLockedError(error)) recorder.covered('line: the first holder came too late')
    else recorder.violated('errors', `the first holder: ${String(error)}`)
  })
  await loop.runUntil(loop.now() + loop.random.between(30, 60), () =>
    recorder.operations().some(({ acquiredAt }) => acquiredAt !== undefined),
  )
}
