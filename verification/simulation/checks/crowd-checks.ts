import type { Scenario, SimulatedClient } from '../workload/scenario.ts'
import { answersLate, type Minority } from '../workload/sick-nodes.ts'
import { quorumRoundTripOf } from './round-trip.ts'

/** One call of a crowd that wants slots. Times in ms. */
export type CrowdCall = {
  readonly client: SimulatedClient
  readonly wait: number
  /** The process sleeps before the call. */
  readonly delay: number
  calledAt: number
  settledAt: number
  result: 'won' | 'locked' | 'unavailable' | undefined
}

export type CrowdRules = {
  readonly limit: number
  readonly minority: Minority
  /** Whether every slot must be had, as long as a client wants it. */
  readonly needsAll: boolean
}

// A call without a `wait` settles within so many round trips of the responsive majority, and so many ms.
const maxRoundTrips = 60
const minTime = 50
// A node that is late, and takes part in the decision, costs as much again.
const maxLateness = 450
const timerTick = 1

const text = ({ client, calledAt, settledAt, result, wait }: CrowdCall): string =>
  `${client.process.name} (wait ${wait.toFixed(0)}): ${result} after ${(settledAt - calledAt).toFixed(1)} ms`

const checkTime = (
  scenario: Scenario,
  call: CrowdCall,
  { minority: { has, ailments } }: CrowdRules,
): void => {
  const { recorder } = scenario
  const time = call.settledAt - call.calledAt
  if (call.wait > 0) {
    if (time > call.wait + timerTick) recorder.violated('wait', text(call))
    return
  }
  const roundTrip = quorumRoundTripOf(scenario, call.client.process.name, has)
  const lateness = answersLate(ailments) ? maxLateness : 0
  recorder.measured(
    `slots, ${ailments.length > 0 ? 'sick nodes' : 'all well'}, ${call.result}`,
    time / roundTrip,
  )
  if (time > minTime + lateness + maxRoundTrips * roundTrip)
    recorder.violated('latency', text(call))
}

/** Checks the results of a crowd of which nobody gives a slot back, and how long each call took. */
export const checkCrowd = (
  scenario: Scenario,
  calls: readonly CrowdCall[],
  rules: CrowdRules,
): void => {
  const { recorder } = scenario
  const { limit, needsAll, minority } = rules
  const won = calls.filter(({ result }) => result === 'won').length
  const most = Math.min(limit, calls.length)
  const least = needsAll ? most : 1
  const name = minority.ailments.length > 0 ? 'sick nodes' : 'all nodes well'
  if (won < least || won > most) {
    recorder.violated(
      'crowd',
      `${won} of ${calls.length} clients got one of ${limit} slots, ${name}`,
    )
  } else {
    const share = won === most ? 'all' : 'some'
    recorder.covered(`slots: ${share} slots taken ${needsAll ? 'by waiters' : 'at once'}, ${name}`)
  }
  for (const call of calls) {
    if (!call.result) recorder.violated('settled', `${call.client.process.name} got no answer`)
    else checkTime(scenario, call, rules)
    if (call.result === 'unavailable') recorder.violated('reason', text(call))
  }
}
