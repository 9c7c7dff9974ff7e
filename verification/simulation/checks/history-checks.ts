import { checkExclusion } from '../../history/exclusion.ts'
import { holdsOf } from '../../history/holds.ts'
import { checkThrottles } from '../../history/throttles.ts'
import { checkTokens } from '../../history/tokens.ts'
import { type FaultRates, hasAccurateClocks, hasSafeData } from '../workload/fault-rates.ts'
import type { Recorder } from './recorder.ts'

/** Formats a simulated time. */
export const showTime = (at: number): string => at.toFixed(1)

/** Checks that a complete history keeps all guarantees that hold despite its faults. */
export const checkHistory = (recorder: Recorder, rates: FaultRates, driftFactor: number): void => {
  if (!hasSafeData(rates)) return
  const { covered, violated } = recorder
  const operations = recorder.operations()
  const findings = checkTokens(operations, showTime)
  if (hasAccurateClocks(rates)) {
    findings.push(
      ...checkExclusion(holdsOf(operations), showTime),
      ...checkThrottles(operations, driftFactor, showTime, (most, limit) => {
        if (most === limit) covered('slots: passes full')
      }),
    )
  }
  for (const { check, text } of findings) violated(check, text)
}
