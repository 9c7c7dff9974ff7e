import { type BurstCall, resultOf, type Target, timeOf } from '../workload/burst.ts'
import type { Scenario } from '../workload/scenario.ts'
import { textOf } from './burst-checks.ts'

// Checks calls while so many nodes are faulty that no quorum replies.

// Simulated timers fire on time, and wall clocks have a resolution of one millisecond.
const timerTick = 1

// The default node timeout, in ms.
const defaultTimeout = 2_000

// An attempt takes at most this many round trips plus the node timeout. If enough nodes fail immediately to reveal the
// outage, `promptTime` (in ms) replaces the timeout.
const promptRoundTrips = 2
const promptTime = 5

// The head start that a client gives to the node that it contacts first, in ms.
const maxHeadStart = 250

/** The maximum duration of an attempt, in ms. */
export const answerTime = (
  { options: { nodeTimeout = defaultTimeout } }: Scenario,
  isPrompt: boolean,
  roundTrip: number,
): number => (isPrompt ? promptTime : nodeTimeout) + promptRoundTrips * roundTrip

/**
 * Checks that every call reports the outage in time. There are two exceptions. The first node can reject a frugal call.
 * If no node fails immediately, a short `wait` can end before silence counts as an outage, and the remaining nodes can
 * reject the call.
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
    // A waiting throttle finishes the attempt that it has started.
    const limit = isThrottle || wait === 0 ? wait + maxTime + headStart : wait + timerTick
    if (result && time > limit)
      recorder.exceeded('outage latency', `${textOf(call)}, more than ${limit.toFixed(1)}`)
    recorder.covered(
      `slots: a ${isThrottle ? 'pass' : 'slot'} in an outage, ${wait > 0 ? 'with a' : 'no'} wait`,
    )
  }
}
