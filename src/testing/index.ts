/**
 * Nodes in memory, for tests of what uses a lock: no server, a clock to turn, and failures on demand.
 *
 * @module edge-redlock/testing
 */
export { memoryNode, type MemoryNode, memoryNodes } from './memory-node.ts'
