import { memoryNode, type MemoryNode } from '../../src/entries/testing.ts'

/** A node that is down: each request fails at once. */
export const downNode = (name: string, message = 'down'): MemoryNode => {
  const node = memoryNode({ name })
  node.fail(new Error(message))
  return node
}
