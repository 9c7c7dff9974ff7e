/**
 * Nodes in memory, for tests of what uses a lock: no server, and a clock to turn.
 *
 * @module
 */
export { memoryNode, type MemoryNode, type MemoryNodeOptions, memoryNodes } from './memory-node.ts'
export type { MemoryEntry, RefusedCommand } from './memory-server.ts'
