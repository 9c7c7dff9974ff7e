import { type Fault, hang, sleep } from '../../verification/comparison/faults.ts'
import type { SickNode } from '../bursts/sick-nodes.ts'
import { remote } from '../shared/distance.ts'

/** The fault between a client and the node of that rank, where one node is sick. */
export const faultOf =
  ({ rank, late }: SickNode) =>
  (index: number): Fault => {
    if (index !== rank) return remote
    if (!late) return hang
    const half = (): Promise<void> => sleep((late.min + (late.max - late.min) * Math.random()) / 2)
    return (request, send) =>
      remote(request, async () => {
        await half()
        const reply = await send()
        await half()
        return reply
      })
  }
