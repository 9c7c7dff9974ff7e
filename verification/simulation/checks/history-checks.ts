import { type FaultRates, hasAccurateClocks, hasSafeData } from '../workload/fault-rates.ts'
import { endOf } from './force-checks.ts'
import type { Recorder } from './recorder.ts'
import { rivalsOf } from '../../history/holders.ts'
import type { Hold, Token } from '../../history/records.ts'
import { fallingTokens, sharedTokens } from '../../history/tokens.ts'
import type { Pass } from './records.ts'

// Checks of a whole history, after its end.

const time = (at: number): string => at.toFixed(1)

const checkExclusion = (recorder: Recorder): void => {
  const text = ({ process, from, until }: Hold): string =>
    `${process} from ${time(from)} to ${time(until)}`
  const holds = recorder.holds.map((hold) => ({ ...hold, until: endOf(recorder, hold) }))
  for (const { key, first, second } of rivalsOf(holds)) {
    recorder.violated('exclusion', `${key} is held by ${text(first)} and by ${text(second)}`)
  }
}

const checkTokens = ({ tokens, violated }: Recorder): void => {
  const text = ({ token, value, requestedAt, confirmedAt }: Token): string =>
    `${token} of ${value.slice(0, 8)} (${time(requestedAt)} to ${time(confirmedAt)})`
  for (const { first, second } of sharedTokens(tokens)) {
    violated('token uniqueness', `${text(first)} and ${text(second)}`)
  }
  for (const { first, second } of fallingTokens(tokens)) {
    violated('token order', `${text(first)}, then ${text(second)}`)
  }
}

const checkThrottles = ({ passes, violated }: Recorder, driftFactor: number): void => {
  for (const [index, a] of passes.entries()) {
    for (const b of passes.slice(index + 1)) {
      if (a.key !== b.key) continue
      const isAfter = (one: Pass, other: Pass): boolean =>
        one.returnedAt >= other.requestedAt + other.window * (1 - driftFactor)
      if (!isAfter(a, b) && !isAfter(b, a)) {
        violated(
          'throttle',
          `${a.key} passed at ${time(a.returnedAt)} and at ${time(b.returnedAt)}`,
        )
      }
    }
  }
}

/** Checks the properties of the whole history that its faults leave guaranteed. */
export const checkHistory = (recorder: Recorder, rates: FaultRates, driftFactor: number): void => {
  if (hasSafeData(rates)) checkTokens(recorder)
  if (!hasSafeData(rates) || !hasAccurateClocks(rates)) return
  checkExclusion(recorder)
  checkThrottles(recorder, driftFactor)
}
