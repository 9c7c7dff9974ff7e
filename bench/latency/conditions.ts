import { delayReply } from '../../tools/faults.ts'
import { type Fault, hang, refuse } from '../../verification/comparison/faults.ts'
import { remote } from '../shared/distance.ts'

/** The network between the clients and the servers. */
export type NetworkCondition = {
  readonly name: string
  /** In front of every server. */
  readonly usual: Fault
  /** In front of the first server, if it differs. */
  readonly first?: Fault
  /** The maximum ratio of the median acquire to its minimum; undefined if there is no target. */
  readonly maxRatio?: number
}

const delay = 100

const delayed: Fault = (request, send) =>
  delayReply(() => delay)(request, () => remote(request, send))

export const conditions: readonly NetworkCondition[] = [
  { name: 'all well', usual: remote, maxRatio: 1.05 },
  { name: `one ${delay} ms late`, usual: remote, first: delayed },
  { name: 'one hung', usual: remote, first: hang, maxRatio: 1.05 },
  { name: 'one refused', usual: remote, first: refuse },
  { name: 'no distance', usual: (_, send) => send() },
]
