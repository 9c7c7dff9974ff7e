import type { LockNode } from '../../src/index.ts'
import type { Fault } from '../../tools/faults.ts'

/** What a node is asked for. */
type Call = {
  /** The letter of the operation, such as `a` for acquire. */
  readonly operation: string
  /** The value of the lock. */
  readonly value: string
  readonly signal: AbortSignal
}

/** Stands between a client and a node, however that is reached. */
export type NodeFault = Fault<Call, unknown>

/** The node, with each of its calls going through the fault. */
export const nodeThrough = (node: LockNode, fault: NodeFault): LockNode => ({
  name: node.name,
  eval: (script, keys, args, signal) =>
    fault({ operation: args[0]!, value: args[1]!, signal }, () =>
      node.eval(script, keys, args, signal),
    ),
})
