import { type BurstCall, hasWon, resultOf, timeOf } from '../workload/burst.ts'
import type { Scenario } from '../workload/scenario.ts'
import type { Server } from '../engine/server.ts'
import { ownersOn } from './owners.ts'
import type { Weather } from './weather.ts'

/** The requirements of a burst. */
export type BurstRules = {
  /** A name for coverage and measurements. */
  readonly name: string
  /** The kind of weather under which the burst is counted. */
  readonly weather: Weather
  /** With fewer winners, the burst counts as lost. With more than `maxWinners`, the lock has failed. */
  readonly minWinners: number
  readonly maxWinners: number
  /** Whether a majority of the nodes replies to every call before the call has to settle. */
  readonly isAnswered: boolean
  /** Whether calls that do not wait must settle within a few round trips. */
  readonly limitsTime: boolean
  /** The time in which a quorum of nodes replies to every client, in ms. */
  readonly roundTrip: number
  /** Whether nodes sometimes reply late. A waiting call then expects its next attempt to take as long. */
  readonly hasLateNodes: boolean
  /** How late a `wait` can end, in ms. Default: 1, because timers fire on time. */
  readonly maxLate?: number
}

// Simulated timers mostly fire on time, and wall clocks have a resolution of one millisecond.
const timerTick = 1

// A call must win or be rejected within this many round trips to the responsive majority, plus the times below.
const maxRoundTrips = 35
// The last attempt of a waiting call must end within this many round trips.
const lastRoundTrips = 5
// The minimum time limit of a call, in ms. It applies if all nodes are near.
const minTime = 50
// The last check waits this many ms for a node that has replied late before, as a call with a `wait` does.
const maxLateness = 450
// The head start that a client gives to the node that it contacts first, in ms.
const maxHeadStart = 250

const timeFor = (
  roundTrips: number,
  { client, wait }: BurstCall,
  { roundTrip }: BurstRules,
): number => {
  const mayAskOneFirst = client.strategy === 'frugal' || wait > 0
  const lastLook = roundTrips === maxRoundTrips ? maxLateness : 0
  return minTime + lastLook + roundTrips * roundTrip + (mayAskOneFirst ? maxHeadStart : 0)
}

/** Formats a call in a burst. */
export const textOf = (call: BurstCall): string =>
  `${call.client.process.name} (${call.client.strategy}, wait ${call.wait.toFixed(0)}): ${resultOf(call)} after ${timeOf(call).toFixed(1)} ms`

const outcomes = ['without a winner', 'with one winner']

/** Whether a client acquired the lock, even if the client died before the call returned. */
const isWinner = (scenario: Scenario, call: BurstCall): boolean => {
  const { process } = call.client
  if (hasWon(call) || process.isAlive()) return hasWon(call)
  const { servers, quorum } = scenario
  // Ignore an earlier lock of the client, which a node that hung may still hold.
  const hasBurst = (server: Server): boolean =>
    ownersOn(scenario, server, /^lock:[lt]:burst(?:#|$)/).has(process.name)
  return servers.filter(hasBurst).length >= quorum
}

const checkWinners = (
  scenario: Scenario,
  calls: readonly BurstCall[],
  { name, weather, minWinners, maxWinners }: BurstRules,
): void => {
  const { recorder, loop } = scenario
  const winners = calls.filter((call) => isWinner(scenario, call)).length
  const text = `${calls.length} clients (${name}), ${winners} winners`
  if (winners > maxWinners) recorder.violated('burst', `${text}, of at most ${maxWinners}`)
  else recorder.covered(`burst ${outcomes[winners] ?? 'with several winners'}: ${name}`)
  const isLost = winners < minWinners
  if (isLost) loop.trace.say(() => `LOST BURST: ${text}`)
  recorder.burstEnded(weather, isLost)
}

const checkTime = ({ recorder }: Scenario, call: BurstCall, rules: BurstRules): void => {
  const { name, roundTrip, limitsTime } = rules
  const { wait } = call
  const time = timeOf(call)
  if (wait > 0) {
    if (time > wait + (rules.maxLate ?? timerTick)) recorder.violated('wait', textOf(call))
    const lateness = rules.hasLateNodes ? maxLateness : 0
    const isEarly = time < wait - lateness - timeFor(lastRoundTrips, call, rules)
    // After a slow attempt, a stalled process expects the next attempt to be as slow, and gives up early.
    const isImpatient = isEarly && rules.maxLate === undefined
    if (resultOf(call) === 'locked' && isImpatient) recorder.exceeded('impatience', textOf(call))
    return
  }
  recorder.measured(`${name}, ${hasWon(call) ? 'winner' : 'refusal'}`, time / roundTrip)
  if (limitsTime && time > timeFor(maxRoundTrips, call, rules)) {
    recorder.exceeded('latency', `${textOf(call)}; a round trip takes ${roundTrip.toFixed(1)}`)
  }
}

/** Checks the results of a burst, and the duration of each call. */
export const checkBurst = (
  scenario: Scenario,
  calls: readonly BurstCall[],
  rules: BurstRules,
): void => {
  const { recorder } = scenario
  const alive = calls.filter(({ client }) => client.process.isAlive())
  checkWinners(scenario, calls, rules)
  for (const call of alive) {
    if (resultOf(call)) checkTime(scenario, call, rules)
    else recorder.violated('settled', `${call.client.process.name} has got no answer`)
    if (resultOf(call) === 'unavailable' && rules.isAnswered) {
      recorder.violated('reason', textOf(call))
    }
  }
}
