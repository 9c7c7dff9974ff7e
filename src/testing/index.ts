/**
 * Nodes in memory, for tests of what uses a lock: no server, and a clock to turn.
 *
 * @module
 */
export {
  memoryNode,
  type MemoryNode,
  type MemoryNodeOptions,
  memoryNodes,
} from '../nodes/memory.ts'
export type { MemoryEntry } from '../nodes/twin.ts'
