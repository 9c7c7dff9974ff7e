import type { LockNode, RestNodeOptions } from '../../src/index.ts'
import { type Fault, withFault } from './faults.ts'
import { nodeWithFault } from './node-with-fault.ts'
import { overRest, type Server } from './nodes.ts'

type AnyNode = RestNodeOptions | LockNode

/** Nodes of one kind, for suites that run over several kinds. */
export type NodeKind = {
  readonly nodes: readonly AnyNode[]
  /** What the nodes store. */
  readonly servers: readonly Server[]
  /** The node with each of its requests going through the fault. */
  readonly withFault: (index: number, fault: Fault) => AnyNode
}

export const restNodes = (nodes: readonly RestNodeOptions[]): NodeKind => ({
  nodes,
  servers: overRest(nodes),
  withFault: (index, fault) => withFault(nodes[index]!, fault),
})

/** Nodes that do not use `fetch`. */
export const otherNodes = (nodes: readonly LockNode[], servers: readonly Server[]): NodeKind => ({
  nodes,
  servers,
  withFault: (index, fault) => nodeWithFault(nodes[index]!, fault),
})
