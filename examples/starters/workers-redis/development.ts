import { type MemoryNode, memoryNodes } from 'edge-redlock/testing'

let nodes: MemoryNode[] | undefined

/** Returns three nodes in memory if `npm run dev` has set `MEMORY_NODES`, and `REDLOCK_NODES` is not set. */
export const developmentNodes = (env: { REDLOCK_NODES?: string; MEMORY_NODES?: string }) => {
  if (env.REDLOCK_NODES || env.MEMORY_NODES !== 'true') return undefined
  if (!nodes) console.log('Nodes in memory: one process only; set REDLOCK_NODES for production')
  nodes ??= memoryNodes(3)
  return { REDLOCK_NODES: nodes }
}
