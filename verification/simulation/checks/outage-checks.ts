import { type BurstCall, resultOf, type Target, timeOf } from '../workload/burst.ts'
import type { Scenario } from '../workload/scenario.ts'
import { textOf } from './burst-checks.ts'

// Checks calls while so many nodes are faulty that no quorum answers.

// Timers of the simulation fire on time, and wall clocks have a resolution of a millisecond.
const timerTick = 1

// The default node timeout, in ms.
const defaultTimeout = 2_000

// A try takes at most this many round trips, and the node timeout. If enough nodes fail immediately to reveal the
// outage, it takes these ms instead of the timeout.
const promptRoundTrips = 2
const promptTime = 5

// A client that asks one node first gives it a head start, in ms.
const maxHeadStart = 250

/** The maximum time of a try, in ms. */
export const answerTime = (
  { options: { nodeTimeout = defaultTimeout } }: Scenario,
  isPrompt: boolean,
  roundTrip: number,
): number => (isPrompt ? promptTime : nodeTimeout) + promptRoundTrips * roundTrip

/**
 * Checks that every call reports the outage in time. There are two exceptions: the first node may reject a frugal call.
 * If no node fails immediately, the remaining nodes may reject a call whose `wait` ends before silence counts as an
 * outage.
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
