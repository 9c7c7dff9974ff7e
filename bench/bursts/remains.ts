import { edgeRedlock } from '../../verification/comparison/contestants/edge-redlock.ts'
import { type Target, target } from '../shared/target.ts'
import type { Condition } from './conditions.ts'
import type { Measured } from './measured.ts'
import { nearby, withSick } from './network.ts'
import { openVirtualWorld } from './virtual-world.ts'

// One client that knows nothing of the nodes, and the remains of another one that has crashed. Two of five nodes are
// still locked, and one of the other three is far. Nobody else wants the lock, so the client should wait for that node.

const conditionOf = (seed: number, remains: readonly number[], late: number): Condition => {
  const network = withSick(nearby, { rank: 4, late: { min: late / 2, max: late } })
  const options = { contestant: edgeRedlock.name, seed, size: 1, isFresh: true, remains, network }
  return {
    name: `remains on nodes ${remains.join(' and ')}, node 4 ${late / 2}-${late} ms away`,
    open: () => openVirtualWorld(options),
  }
}

export const remainsConditions = (seed: number): Condition[] =>
  [60, 200].flatMap((late) => [conditionOf(seed, [0, 1], late), conditionOf(seed, [2, 3], late)])

export const remainsTargets = (rows: readonly Measured[]): Target[] => [
  target(
    'remains of a crashed client and a far node: bursts without a winner',
    rows.reduce((sum, { bursts, one }) => sum + bursts - one, 0),
    0,
  ),
]
