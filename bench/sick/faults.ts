import { delayBoth } from '../../tools/faults.ts'
import { type Fault, hang } from '../../verification/comparison/faults.ts'
import type { SickNode } from '../bursts/sick-nodes.ts'
import { remote } from '../shared/distance.ts'

/** The fault between a client and the node of this rank, if one node is slow. */
export const faultOf =
  ({ rank, late }: SickNode) =>
  (index: number): Fault => {
    if (index !== rank) return remote
    if (!late) return hang
    const half = (): number => (late.min + (late.max - late.min) * Math.random()) / 2
    return (request, send) => remote(request, () => delayBoth(half)(request, send))
  }
