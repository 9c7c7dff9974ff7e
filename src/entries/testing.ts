/**
 * Nodes in memory, for tests of what uses a lock: no server, a clock to turn, and failures on demand. And a test of
 * nodes of your own.
 *
 * @module edge-redlock/testing
 */
export { memoryNode, type MemoryNode, memoryNodes } from '../memory/testing/memory-node.ts'
export { testNode, type TestNodeOptions, type TestNodeReport } from '../memory/testing/test-node.ts'
