/**
 * Nodes in memory, for tests of what uses a lock: no server, and a clock to turn.
 *
 * @module
 */
export { memoryNode, type MemoryNode, type MemoryNodeOptions, memoryNodes } from './memory-node.ts'
export type { MemoryEntry } from './memory-server.ts'
