import { executesAsSent, hasSafeData } from '../workload/fault-rates.ts'
import type { Scenario } from '../workload/scenario.ts'
import { hasCommonKey } from './common-key.ts'
import type { Recorder } from './recorder.ts'
import type { Hold } from '../../history/records.ts'
import type { Forced } from './records.ts'

/** Whether a release by force is about this lock. */
const concerns = ({ keys, id }: Forced, hold: Hold): boolean =>
  hasCommonKey(keys, hold.keys) && (id === undefined || hold.value.startsWith(id))

/** When the holder has the lock for no more than its own belief: its validity, or a release by force, ends it. */
export const endOf = ({ forces, oracle }: Recorder, hold: Hold): number => {
  const askedAt = oracle.firstSent.get(hold.value)!
  const ends = forces
    .filter((one) => concerns(one, hold) && askedAt <= one.endedAt)
    .map(({ calledAt }) => calledAt)
  return Math.min(hold.until, ...ends)
}

/**
 * An extension that begins after a release by force fails. A server that executes an acquire twice, or late, may have
 * the lock again, and one that has lost its data has forgotten the release.
 */
export const checkForced = (
  { recorder, rates }: Scenario,
  hold: Hold,
  extendedAt: number,
): void => {
  if (!executesAsSent(rates) || !hasSafeData(rates)) return
  const before = recorder.forces.find(
    (one) => concerns(one, hold) && hold.from < one.calledAt && one.endedAt < extendedAt,
  )
  if (before) {
    recorder.violated(
      'forced',
      `${hold.process} extends, released by force at ${before.endedAt.toFixed(1)}`,
    )
  }
}
