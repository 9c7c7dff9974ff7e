/**
 * Nodes in memory, for tests of what uses a lock: no server, and a clock to turn.
 *
 * @module
 */
export {
  type MemoryEntry,
  memoryNode,
  type MemoryNode,
  type MemoryNodeOptions,
  memoryNodes,
} from '../nodes/memory.ts'
