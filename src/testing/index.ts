/**
 * Nodes in memory, for tests of what uses a lock: no server, a clock to turn, and failures on demand.
 *
 * @module edge-redlock/testing
 */
export { memoryNode, type MemoryNode, type MemoryNodeOptions, memoryNodes } from './memory-node.ts'
export type { MemoryEntry, RefusedCommand } from './memory-server.ts'
export type { NodeControls } from './node-controls.ts'
