import { type BurstCall, hasWon, resultOf, timeOf } from '../workload/burst.ts'
import type { Scenario } from '../workload/scenario.ts'
import type { Server } from '../engine/server.ts'
import { ownersOn } from './owners.ts'
import type { Weather } from './weather.ts'

/** The requirements of a burst. */
export type BurstRules = {
  /** A name for coverage and measurements. */
  readonly name: string
  /** The kind of weather in which it is counted. */
  readonly weather: Weather
  /** With fewer winners the burst is lost, and with more the lock has failed. */
  readonly minWinners: number
  readonly maxWinners: number
  /** Whether a majority of the nodes answers every call before it has to settle. */
  readonly isAnswered: boolean
  /** Whether calls that do not wait must settle within a few round trips. */
  readonly limitsTime: boolean
  /** The time in ms in which a quorum of nodes answers every client. */
  readonly roundTrip: number
  /** Whether nodes answer late now and then. A waiting call then expects its next attempt to take as long. */
  readonly hasLateNodes: boolean
  /** The maximum ms by which a `wait` may end late. Default: 1, because timers fire on time. */
  readonly maxLate?: number
}

// Timers of the simulation mostly fire on time, and wall clocks have a resolution of a millisecond.
const timerTick = 1

// A call is won or rejected within this many round trips to the responsive majority, plus the times below.
const maxRoundTrips = 35
// The same for the last attempt of a waiting call.
const lastRoundTrips = 5
// An allowance in ms, even if all nodes are near.
const minTime = 50
// The last look waits this many ms for a node that has answered late before, as a call with a `wait` does.
const maxLateness = 450
// A client that asks one node first gives it a head start, in ms.
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

/** A call of a burst, as text. */
export const textOf = (call: BurstCall): string =>
  `${call.client.process.name} (${call.client.strategy}, wait ${call.wait.toFixed(0)}): ${resultOf(call)} after ${timeOf(call).toFixed(1)} ms`

const outcomes = ['without a winner', 'with one winner']

/** Whether a client got the lock, even if it died before the call returned. */
const isWinner = (scenario: Scenario, call: BurstCall): boolean => {
  const { process } = call.client
  if (hasWon(call) || process.isAlive()) return hasWon(call)
  const { servers, quorum } = scenario
  // Ignores an earlier lock of the client, which a node that hung may still have.
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
    // A process that stalls expects its next attempt to take as long.
    const isImpatient = isEarly && rules.maxLate === undefined
    if (resultOf(call) === 'locked' && isImpatient) recorder.exceeded('impatience', textOf(call))
    return
  }
  recorder.measured(`${name}, ${hasWon(call) ? 'winner' : 'refusal'}`, time / roundTrip)
  if (limitsTime && time > timeFor(maxRoundTrips, call, rules)) {
    recorder.exceeded('latency', `${textOf(call)}; a round trip takes ${roundTrip.toFixed(1)}`)
  }
}

/** Checks the results of a burst, and how long each call took. */
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
