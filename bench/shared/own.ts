import type { Contestant } from '../../verification/comparison/contestants/contestant.ts'
import {
  edgeRedlock,
  edgeRedlockFrugal,
} from '../../verification/comparison/contestants/edge-redlock.ts'

/** This project, once for each strategy. */
export const own: readonly Contestant[] = [edgeRedlock, edgeRedlockFrugal]

/** Whether a result belongs to this project. */
export const isOwn = ({ contestant }: { readonly contestant: string }): boolean =>
  own.some(({ name }) => name === contestant)
