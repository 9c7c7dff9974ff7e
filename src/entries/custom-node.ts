/**
 * Everything that you need to turn your own store into a node: PostgreSQL, SQLite, or any other store with
 * transactions. `testNode` from `edge-redlock/testing` tests the node.
 *
 * @module edge-redlock/custom-node
 */
export {
  type Applied,
  applyCommand,
  type ApplyOptions,
  keysOf,
  type Row,
} from '../memory/apply-command.ts'
export type { LockNode, RunOptions } from '../protocol/node.ts'
export type { Command } from '../protocol/command.ts'
export type { Reply } from '../protocol/reply.ts'
