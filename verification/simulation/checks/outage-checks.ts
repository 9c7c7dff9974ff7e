import { type BurstCall, resultOf, type Target, timeOf } from '../workload/burst.ts'
import type { Scenario } from '../workload/scenario.ts'
import { textOf } from './burst-checks.ts'

// Checks of calls while so many nodes are sick that no quorum answers.

// Timers of the simulation fire on time, and wall clocks have a resolution of a millisecond.
const timerTick = 1

// The default node timeout, in ms.
const defaultTimeout = 2_000

// Where enough nodes fail at once to know of the outage, a try takes so many round trips, and so many ms.
const promptRoundTrips = 2
const promptTime = 5

// A client that asks one node first gives it a head start, in ms.
const maxHeadStart = 250

/** How long a try takes at most, in ms. */
export const answerTime = (
  { options: { nodeTimeout = defaultTimeout } }: Scenario,
  isPrompt: boolean,
  roundTrip: number,
): number => (isPrompt ? promptTime : nodeTimeout) + promptRoundTrips * roundTrip

/**
 * Every call is told of the outage, and in time. A frugal one may be refused by the node that it asks first. And where
 * no node fails at once, a call whose `wait` ends before silence tells anything may be refused by those that answer.
 */
export const checkOutage = (
  { recorder, pace }: Scenario,
  calls: readonly BurstCall[],
  { isThrottle }: Target,
  { maxTime, isSilent }: { readonly maxTime: number; readonly isSilent: boolean },
): void => {
  for (const call of calls) {
    const { client, wait } = call
    const [result, time] = [resultOf(call), timeOf(call)]
    const isShort = isSilent && !isThrottle && wait > 0 && wait <= pace.cold
    const mayBeLocked = client.strategy === 'frugal' || isShort
    const isTold = result === 'unavailable' || (result === 'locked' && mayBeLocked)
    if (!isTold) recorder.violated('outage', textOf(call))
    const headStart = client.strategy === 'frugal' ? maxHeadStart : 0
    // A throttle that waits finishes the try that it has begun.
    const limit = isThrottle || wait === 0 ? wait + maxTime + headStart : wait + timerTick
    if (result && time > limit)
      recorder.exceeded('outage latency', `${textOf(call)}, more than ${limit.toFixed(1)}`)
    recorder.covered(
      `slots: a ${isThrottle ? 'pass' : 'slot'} in an outage, ${wait > 0 ? 'with a' : 'no'} wait`,
    )
  }
}
