/**
 * Nodes in memory, for tests of code that uses a lock: without a server, with an adjustable clock, and with failures on
 * demand. `testNode` tests your own nodes.
 *
 * @module edge-redlock/testing
 */
export { memoryNode, type MemoryNode, memoryNodes } from '../memory/testing/memory-node.ts'
export { testNode, type TestNodeOptions, type TestNodeReport } from '../memory/testing/test-node.ts'
