import { DurableObject } from 'cloudflare:workers'
import { Hono } from 'hono'
import { durableObjectNodes, type RedlockNamespace } from '../../src/entries/durable-object.ts'
import { once } from '../../src/entries/idempotency.ts'
import { adopt, Redlock, serialize, withSlots } from '../../src/index.ts'
import { InspectedNode } from './inspected-node.ts'
import { objectOf } from './objects.ts'

export { ForgetfulNode } from './forgetful-node.ts'
export { InspectedNode }

/** A class that is no node. */
export class OtherObject extends DurableObject {}

/** A node whose namespace was declared without SQLite. */
export class WithoutSqlite extends InspectedNode {}

type Env = { Bindings: { REDLOCK: RedlockNamespace } }

const nodesOf = ({ REDLOCK }: Env['Bindings']) => durableObjectNodes(REDLOCK, { count: 3 })
const clientOf = (env: Env['Bindings']) => withSlots(new Redlock({ nodes: nodesOf(env) }))

// What tests call from another process: locks over three objects.
const app = new Hono<Env>()
app.get('/', (c) => c.text('ready'))
app.post('/acquire/:key', async (c) => {
  const ttl = Number(c.req.query('ttl') ?? 10_000)
  const limit = Number(c.req.query('limit') ?? 0)
  const options = limit > 0 ? { ttl, limit } : { ttl }
  const result = await clientOf(c.env).tryAcquire(c.req.param('key'), options)
  if (!result.ok) return c.json({ ok: false, reason: result.reason })
  const token = await result.lock.fencingToken().catch(() => 0)
  return c.json({ ok: true, token, lock: serialize(result.lock) })
})
app.post('/release', async (c) => {
  const lock = adopt(clientOf(c.env), await c.req.text())
  return c.json({ result: await lock.release() })
})
app.post('/once/:key', async (c) => {
  const options = { keepFor: 600_000 }
  return c.text(
    await once(clientOf(c.env), c.req.param('key'), options, async () => crypto.randomUUID()),
  )
})
app.post('/identities', async (c) => {
  const ids = nodesOf(c.env).map((node) => objectOf(c.env.REDLOCK, node).command('GET', 'lock:id'))
  return c.json(await Promise.all(ids))
})
app.post('/evict/:index', async (c) => {
  const node = nodesOf(c.env)[Number(c.req.param('index'))]!
  // The call fails because its object has ended.
  await objectOf(c.env.REDLOCK, node)
    .evict()
    .catch(() => {})
  return c.text('evicted')
})

export default app
