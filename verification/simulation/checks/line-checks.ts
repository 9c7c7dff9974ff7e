import type { LineCall } from '../workload/line.ts'
import type { Scenario } from '../workload/scenario.ts'

// Checks calls of one process that wait for the same key.

/** A period in which a client held the lock. */
type Held = { readonly from: number; readonly until: number }

/** The periods in which a client held the lock, each until its release. */
export const heldPeriods = ({ recorder }: Scenario): Held[] =>
  recorder
    .operations()
    .flatMap(({ acquiredAt: from, releasingAt: until = Infinity }) =>
      from === undefined ? [] : { from, until },
    )

/** The facts about a history with lines. Times in ms. */
export type LineRules = {
  /** How long before the end of its `wait` a call can start its last attempt. */
  readonly lastAttempt: number
  /** The maximum pause of a waiting call between two attempts. */
  readonly maxPause: (call: LineCall) => number
  /** The maximum duration of an attempt while a majority replies. */
  readonly attemptTime: number
  /** The number of attempts within which a call acquires a free lock. Some attempts contact only a single node. */
  readonly attempts: number
  /** When the lock was held. */
  readonly held: readonly Held[]
  /** When the lock expires, if one holder keeps it the whole time. */
  readonly expiresAt: number
  /** The moment after which no node replies. */
  readonly outageFrom: number
}

// Simulated timers fire on time, and wall clocks have a resolution of one millisecond.
const timerTick = 1

/** When a call was made, and when it settled. */
export const timesOf = ({ made }: LineCall): { calledAt: number; settledAt: number } => ({
  calledAt: made?.calledAt ?? NaN,
  settledAt: made?.answeredAt ?? NaN,
})

const text = (call: LineCall): string => {
  const { name, client, wait, made } = call
  const { calledAt, settledAt } = timesOf(call)
  return `${name} of ${client.process.name} (wait ${wait.toFixed(0)}): ${made?.answer} from ${calledAt.toFixed(1)} to ${settledAt.toFixed(1)}`
}

const durationOf = (call: LineCall): number => {
  const { calledAt, settledAt } = timesOf(call)
  return settledAt - calledAt
}

/** Checks that a call settles by the end of its `wait`, and immediately when it is aborted. */
const checkWait = ({ recorder }: Scenario, call: LineCall): void => {
  const time = durationOf(call)
  if (time > Math.min(call.wait, call.abortAfter) + timerTick) recorder.violated('wait', text(call))
}

/**
 * Checks that a call is not rejected long before the end of its `wait`: the rest must be too short for another attempt.
 * A call with a limited number of attempts can give up earlier.
 */
const checkPatience = (
  { recorder }: Scenario,
  call: LineCall,
  { lastAttempt }: LineRules,
): void => {
  const time = durationOf(call)
  // A slow node may have prolonged the attempt before the last one.
  if (call.retry.attempts === undefined && time < call.wait - 2 * lastAttempt)
    recorder.exceeded('impatience', text(call))
}

/** The periods in which the lock was free. */
const freePeriods = (held: readonly Held[]): Held[] => {
  const sorted = [...held].sort((a, b) => a.from - b.from)
  let from = 0
  const free: Held[] = []
  for (const period of sorted) {
    if (period.from > from) free.push({ from, until: period.from })
    from = Math.max(from, period.until)
  }
  return [...free, { from, until: Infinity }]
}

/** Checks that no call waits for a free lock for longer than its attempts and pauses take. */
const checkFreeLock = (
  { recorder }: Scenario,
  calls: readonly LineCall[],
  { attempts, maxPause, attemptTime, held, outageFrom }: LineRules,
): void => {
  const maxTime = attempts * (Math.max(...calls.map(maxPause)) + attemptTime)
  for (const { from, until } of freePeriods(held)) {
    for (const call of calls) {
      const { calledAt, settledAt } = timesOf(call)
      const waited = Math.min(until, outageFrom, settledAt) - Math.max(from, calledAt)
      // `waited` is NaN for a call that has not settled, which is a separate violation.
      if (!(waited > maxTime)) continue
      recorder.exceeded('free lock', `${text(call)}; free from ${from.toFixed(1)}`)
      return
    }
  }
}

// A reply that arrived at most this many ms before a call counts as a reply during the call.
const freshFor = 30

/** Checks that a call is rejected only after its own request, or after a fresh reply to another call in its line. */
const checkAsked = (
  { recorder, loop: { trace } }: Scenario,
  call: LineCall,
  { maxPause, attemptTime }: LineRules,
): void => {
  const { name, client } = call
  const { calledAt, settledAt } = timesOf(call)
  const oldest = Math.max(calledAt - freshFor, settledAt - maxPause(call) - attemptTime)
  const isAsked = [...recorder.askings.values()].some(
    ({ process, metadata, sentAt, answeredAt = -Infinity }) =>
      process === client.process.name &&
      ((metadata === name && sentAt <= settledAt) || (answeredAt >= oldest && sentAt <= settledAt)),
  )
  if (isAsked) return
  trace.say(() => `${name} has no answer since ${oldest.toFixed(1)}`)
  recorder.exceeded('unasked', text(call))
}

// The maximum age of the last reply when a call ends, in ms. This includes the delay with which a late node can grant
// the lock after the other nodes.
const maxAge = 800

/** Checks that `retryAfter` decreases while a rejection is passed on from call to call. */
const checkRetryAfter = (
  { recorder }: Scenario,
  call: LineCall,
  { expiresAt }: LineRules,
): void => {
  const { retryAfter = 0 } = call.made!
  if (timesOf(call).settledAt + retryAfter <= expiresAt + maxAge) return
  recorder.exceeded('retryAfter', `${text(call)}, retryAfter ${retryAfter.toFixed(0)}`)
}

/** Checks the results of calls that wait in lines. */
export const checkLines = (
  scenario: Scenario,
  calls: readonly LineCall[],
  rules: LineRules,
): void => {
  const { recorder } = scenario
  for (const call of calls) {
    const result = call.made?.answer
    if (!result) {
      recorder.violated('settled', `${call.name} of ${call.client.process.name} has got no answer`)
      continue
    }
    recorder.covered(`line: ${result === 'acquired' ? 'won' : result}`)
    checkWait(scenario, call)
    if (result === 'locked') {
      checkAsked(scenario, call, rules)
      checkPatience(scenario, call, rules)
      checkRetryAfter(scenario, call, rules)
    }
    const isOutage = timesOf(call).calledAt >= rules.outageFrom
    if (isOutage && (result === 'locked' || result === 'acquired')) {
      recorder.violated('outage', text(call))
    }
    if (isOutage && result === 'unavailable') recorder.covered('line: unavailable in an outage')
    // A majority is healthy, and the call had time to contact it even if the first node hung.
    const isAnswered = rules.outageFrom === Infinity && call.wait > rules.attemptTime
    if (isAnswered && result === 'unavailable') recorder.violated('reason', text(call))
  }
  checkFreeLock(scenario, calls, rules)
}
