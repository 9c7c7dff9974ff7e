import { contestants } from '../../verification/comparison/contestants/all.ts'
import type { Contestant } from '../../verification/comparison/contestants/contestant.ts'
import {
  edgeRedlock,
  edgeRedlockFrugal,
} from '../../verification/comparison/contestants/edge-redlock.ts'

/** This project, once for each strategy. */
export const own: readonly Contestant[] = [edgeRedlock, edgeRedlockFrugal]

/** The other libraries that lock several nodes. */
export const rivals: readonly Contestant[] = contestants.filter(
  (one) => !one.lacks['several nodes'] && one !== edgeRedlock,
)
