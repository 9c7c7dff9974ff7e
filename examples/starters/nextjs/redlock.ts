import { fromEnv, type Redlock } from 'edge-redlock'
import { type MemoryNode, memoryNodes } from 'edge-redlock/testing'

// Keep the nodes in a global variable, because Next.js can load this file again after a change.
const shared = globalThis as { memoryNodes?: MemoryNode[] }

/** Uses `REDLOCK_NODES`, or three nodes in memory under `next dev`. Otherwise, a missing `REDLOCK_NODES` is an error. */
export const redlock = (): Redlock => {
  if (process.env.REDLOCK_NODES || process.env.NODE_ENV !== 'development') return fromEnv()
  if (!shared.memoryNodes) {
    console.log('Nodes in memory: one process only; set REDLOCK_NODES for production')
  }
  shared.memoryNodes ??= memoryNodes(3)
  return fromEnv({ REDLOCK_NODES: shared.memoryNodes })
}
