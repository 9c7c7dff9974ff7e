import { edgeRedlock } from '../../verification/comparison/contestants/edge-redlock.ts'
import type { Condition } from './conditions.ts'
import type { Measured } from './measured.ts'
import type { Labels } from './targets.ts'
import type { World } from './world.ts'

/** One of five nodes that replies late or not at all. */
export type SickNode = {
  /** Its position in the order of names, which is the same for all clients. */
  readonly rank: number
  /** The ms added to each reply, drawn for each; undefined if it never replies. */
  readonly late: { readonly min: number; readonly max: number } | undefined
}

const ranks = [0, 2, 4]
const nodesOf = (late: SickNode['late']): SickNode[] => ranks.map((rank) => ({ rank, late }))

/** The slow and silent nodes that are measured, one at a time. */
export const sickNodes: readonly SickNode[] = [
  ...nodesOf(undefined),
  ...nodesOf({ min: 100, max: 300 }),
]

/** Nodes that reply around the time when clients stop waiting, so that only some clients receive the reply. */
export const laggingNodes: readonly SickNode[] = nodesOf({ min: 20, max: 60 })

const weatherOf = ({ late }: SickNode): string =>
  late ? `${late.min}-${late.max} ms late` : 'hangs'

/** The cases of clients that have already asked the slow node, and of new clients. */
export const sickGroup = 'one sick node'
export const freshGroup = 'double clicks of fresh clients'

export const sickLabels: Labels = {
  winner: 'median time to the winner with a sick node, over that with all well',
  answers: 'p90 of all answers with a sick node, over that with all well',
  longest: 'longest answer with a sick node, over that with all well',
  requests: 'requests of a burst with a sick node, over those with all well',
}

/**
 * The maxima for the default strategy with one slow node. If three clients compete for five nodes, one usually gets
 * three votes in the first round. With four responsive nodes, that happens in every third burst. So the median winner
 * needs a second round, and no protocol of this kind stays below twice the time.
 */
export const sickLimits = (group: string, size: number): Measured['limits'] =>
  group === freshGroup
    ? { answers: 3.5, requests: 1.3 }
    : { winner: size === 3 ? 3 : 2, answers: 3, requests: 1.25 }

/** The sizes with their own maximum. */
export const limitWhere = ({ size }: Measured): string =>
  size === 3 ? 'three at once' : 'other sizes'

type Options = {
  readonly contestant: string
  readonly group: string
  readonly size: number
  readonly nodes: readonly SickNode[]
  /** Whether the winners with all slow nodes of one kind form one statistic. */
  readonly pools?: boolean
}

/**
 * All nodes healthy, and then each slow one. Only the default strategy has targets, and none for a node that lags.
 */
export const sickConditions = (
  { contestant, group, size, nodes, pools = false }: Options,
  open: (node?: SickNode) => Promise<World>,
): Condition[] => [
  { name: 'all well', open: () => open() },
  ...nodes.map((node): Condition => ({
    name: `node ${node.rank} ${weatherOf(node)}`,
    open: () => open(node),
    limits:
      contestant === edgeRedlock.name && !laggingNodes.includes(node)
        ? sickLimits(group, size)
        : undefined,
    kind: pools ? weatherOf(node) : undefined,
  })),
]
