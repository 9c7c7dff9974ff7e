import type { LockNode } from '../src/index.ts'
import type { Fault } from './faults.ts'

/** What a node is asked for. */
type Call = {
  /** The letter of the operation, such as `a` for acquire. */
  readonly operation: string
  /** The value of the lock. */
  readonly value: string
  readonly script: Parameters<LockNode['eval']>[0]
  readonly keys: readonly string[]
  readonly args: readonly string[]
  readonly signal: AbortSignal
}

/** Stands between a client and a node, however that is reached. */
export type NodeFault = Fault<Call, unknown>

/**
 * The node, with each of its calls going through the fault: one that waits, fails, loses the reply, lies or only
 * counts. It has no scope, so the isolate remembers nothing of it.
 */
export const nodeThrough = (node: LockNode, fault: NodeFault): LockNode => ({
  name: node.name,
  eval: (script, keys, args, signal) =>
    fault({ operation: args[0]!, value: args[1]!, script, keys, args, signal }, () =>
      node.eval(script, keys, args, signal),
    ),
})
