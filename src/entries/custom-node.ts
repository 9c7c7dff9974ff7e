/**
 * What a node over a store of your own is made of: PostgreSQL, SQLite, or anything else that has transactions.
 * `testNode` of `edge-redlock/testing` tests such a node.
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
