import type { LockNode } from '../src/index.ts'
import type { Command } from '../src/protocol/command.ts'
import type { Reply } from '../src/protocol/reply.ts'
import type { Fault } from './faults.ts'
import type { Operation } from './redis-wire.ts'

/** A call to a node. */
type Call = {
  readonly command: Command
  /** The operation, as the letter that the scripts use. */
  readonly operation: Operation
  /** The value of the lock. */
  readonly value: string
  readonly signal: AbortSignal
}

/** Intercepts the calls of a client to a node, independently of the transport. */
export type NodeFault = Fault<Call, Reply>

const letters: Readonly<Record<string, Operation>> = {
  acquire: 'a',
  'acquire-slot': 'a',
  prepare: 'a',
  accept: 'c',
  extend: 'e',
  release: 'r',
  forget: 'r',
}

/**
 * Wraps a node so that each call passes through the fault, which can wait, fail, drop the reply, change it or only
 * count. The wrapped node has no scope, so the isolate caches nothing about it.
 */
export const nodeThrough = (node: LockNode, fault: NodeFault): LockNode => ({
  name: node.name,
  run: (command, options) => {
    const operation = letters[command.op] ?? 'i'
    const value = 'value' in command ? command.value : ''
    return fault({ command, operation, value, signal: options.signal }, () =>
      node.run(command, options),
    )
  },
})
