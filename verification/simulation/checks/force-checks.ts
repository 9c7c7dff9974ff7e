import { forcesOn } from '../../history/holds.ts'
import type { Operation } from '../../history/operation.ts'
import { executesAsSent, hasSafeData } from '../workload/fault-rates.ts'
import type { Scenario } from '../workload/scenario.ts'

/**
 * Checks that an extension fails if it begins after a forced release. There are two exceptions. A server that executes
 * an acquire twice or late can hold the lock again. A server that has lost its data has also lost the release.
 */
export const checkForced = (
  { recorder, rates }: Scenario,
  hold: Operation,
  extendedAt: number,
): void => {
  if (!executesAsSent(rates) || !hasSafeData(rates)) return
  const before = forcesOn(recorder.operations(), hold).find(
    ({ calledAt, answeredAt = Infinity }) => hold.acquiredAt! < calledAt && answeredAt < extendedAt,
  )
  if (before) {
    recorder.violated(
      'forced',
      `${hold.process} extends, released by force at ${before.answeredAt!.toFixed(1)}`,
    )
  }
}
