import { Hono } from 'hono'
import { durableObjectNodes, type RedlockNamespace } from '../../src/entries/durable-object.ts'
import { type LockNode, Redlock, restNode, type RestNodeOptions } from '../../src/index.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import type { Kind } from './kinds.ts'

export { RedlockNode } from '../../src/entries/durable-object.ts'

type Env = { Bindings: { REDLOCK: RedlockNamespace; REDLOCK_NODES: string } }

const nodesOf = (kind: Kind, { REDLOCK, REDLOCK_NODES }: Env['Bindings']): readonly LockNode[] => {
  if (kind === 'one object') return durableObjectNodes(REDLOCK, { count: 1, name: 'one' })
  if (kind === 'three objects') return durableObjectNodes(REDLOCK)
  const nodes = JSON.parse(REDLOCK_NODES) as RestNodeOptions[]
  return nodes.slice(...(kind === 'three REST nodes' ? [0, 3] : [3])).map((node) => restNode(node))
}

/** Acquires and releases a new lock, and counts the requests. */
const app = new Hono<Env>()
  .get('/', (c) => c.json({ requests: 0 }))
  .get('/:kind', async (c) => {
    let requests = 0
    const counted = (node: LockNode): LockNode => ({
      ...node,
      ...nodeThrough(node, (_, send) => {
        requests++
        return send()
      }),
    })
    const nodes = nodesOf(c.req.param('kind') as Kind, c.env)
    const redlock = new Redlock({ nodes: nodes.map(counted) })
    await (await redlock.acquire(crypto.randomUUID())).release()
    return c.json({ requests })
  })

// A Worker's entry point is its default export.
export default app
