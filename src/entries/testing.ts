/**
 * Memory nodes, for tests of code that uses locks. They need no server, and have an adjustable clock and failures on
 * demand. `testNode` tests your own nodes.
 *
 * @module edge-redlock/testing
 */
export { memoryNode, type MemoryNode, memoryNodes } from '../memory/testing/memory-node.ts'
export { testNode, type TestNodeOptions, type TestNodeReport } from '../memory/testing/test-node.ts'
