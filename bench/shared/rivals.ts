import { contestants } from '../../verification/comparison/contestants/all.ts'
import type { Contestant } from '../../verification/comparison/contestants/contestant.ts'
import { edgeRedlock } from '../../verification/comparison/contestants/edge-redlock.ts'

/** The other libraries that lock several nodes. */
export const rivals: readonly Contestant[] = contestants.filter(
  (one) => !one.lacks['several nodes'] && one !== edgeRedlock,
)
