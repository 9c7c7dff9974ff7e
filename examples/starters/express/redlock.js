import { fromEnv } from 'edge-redlock'
import { memoryNodes } from 'edge-redlock/testing'

const { NODE_ENV, REDLOCK_NODES } = process.env
// Nodes in memory are only for development, as set by `npm run dev`. Otherwise, `fromEnv` throws if there are no nodes.
const isInMemory = NODE_ENV === 'development' && !REDLOCK_NODES
if (isInMemory) {
  console.log('Nodes in memory: one process only; set REDLOCK_NODES for production')
}

/** One client for the whole process. */
export const redlock = fromEnv(isInMemory ? { REDLOCK_NODES: memoryNodes(3) } : process.env)
