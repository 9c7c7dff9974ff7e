import type { LockNode, RestNodeOptions } from '../../src/index.ts'
import { type Fault, withFault } from './faults.ts'
import { nodeWithFault } from './node-with-fault.ts'
import type { Server } from './nodes.ts'

type AnyNode = RestNodeOptions | LockNode

/** Nodes of one kind, for suites that run over several kinds. */
export type NodeKind = {
  readonly nodes: readonly AnyNode[]
  /** What the nodes store. */
  readonly servers: readonly Server[]
  /** The node with each of its requests going through the fault, if there is one. */
  readonly connect: (index: number, fault: Fault | undefined) => AnyNode
}

/** Nodes that use `fetch`, or do not: both get the same faults. */
export const nodeKind = (nodes: readonly AnyNode[], servers: readonly Server[]): NodeKind => ({
  nodes,
  servers,
  connect: (index, fault) => {
    const node = nodes[index]!
    if (!fault) return node
    return 'run' in node ? nodeWithFault(node, fault) : withFault(node, fault)
  },
})
