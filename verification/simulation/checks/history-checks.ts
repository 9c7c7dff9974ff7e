import { type FaultRates, hasAccurateClocks, hasSafeData } from '../workload/fault-rates.ts'
import { endOf } from './force-checks.ts'
import { hasCommonKey } from './common-key.ts'
import type { Recorder } from './recorder.ts'
import type { Hold, Pass, Token } from './records.ts'

// Checks of a whole history, after its end.

const time = (at: number): string => at.toFixed(1)

/** Runs the check on each pair of elements that share a key. */
const forEachPair = <T extends { readonly keys: readonly string[] }>(
  list: readonly T[],
  check: (a: T, b: T) => void,
): void => {
  for (const [index, a] of list.entries()) {
    for (const b of list.slice(index + 1)) if (hasCommonKey(a.keys, b.keys)) check(a, b)
  }
}

const checkExclusion = (recorder: Recorder): void => {
  const holds = recorder.holds
    .map((hold) => ({ ...hold, until: endOf(recorder, hold) }))
    .filter(({ from, until }) => from < until)
  forEachPair(holds, (a, b) => {
    if (a.value === b.value || a.from >= b.until || b.from >= a.until) return
    const text = ({ process, from, until }: Hold): string =>
      `${process} from ${time(from)} to ${time(until)}`
    const by = `${text(a)} and by ${text(b)}`
    recorder.violated('exclusion', `${a.keys.join()} is held by ${by}`)
  })
}

const checkTokens = ({ tokens, violated }: Recorder): void =>
  forEachPair(tokens, (one, other) => {
    const [a, b] = one.confirmedAt <= other.confirmedAt ? [one, other] : [other, one]
    const isSameLock = a.value === b.value
    const text = (token: Token): string =>
      `${token.token} of ${token.value.slice(0, 8)} (${time(token.requestedAt)} to ${time(token.confirmedAt)})`
    if (!isSameLock && a.token === b.token) {
      violated('token uniqueness', `${text(a)} and ${text(b)}`)
    }
    // Tokens are ordered if the later lock was requested after the earlier token was confirmed; for
    // one lock, if the later token was.
    const isLater = a.confirmedAt < (isSameLock ? b.requestedAt : b.lockRequestedAt)
    if (isLater && b.token < a.token) violated('token order', `${text(a)}, then ${text(b)}`)
  })

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
