import type { LockNode } from '../src/index.ts'
import type { Command } from '../src/protocol/command.ts'
import type { Reply } from '../src/protocol/reply.ts'
import type { Fault } from './faults.ts'
import type { Operation } from './redis-wire.ts'

/** What a node is asked for. */
type Call = {
  readonly command: Command
  /** The letter of the operation, as it stands in the scripts. */
  readonly operation: Operation
  /** The value of the lock. */
  readonly value: string
  readonly signal: AbortSignal
}

/** Stands between a client and a node, however that is reached. */
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
 * The node, with each of its calls going through the fault: one that waits, fails, loses the reply, lies or only
 * counts. It has no scope, so the isolate remembers nothing of it.
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
