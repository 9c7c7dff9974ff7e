import { Hono } from 'hono'
import { gateway } from 'edge-redlock/gateway'
import { fenced, memoryGuard, redisGuard, sqlGuard } from 'edge-redlock/guards'
import { lock, type LockVariables } from 'edge-redlock/hono'
import { redlock } from './index.ts'

type Variables = LockVariables & { userId: string }

export const app = new Hono<{ Variables: Variables }>()
app.use('/reports/*', lock<{ Variables: Variables }>({ redlock, key: (c) => c.get('userId') }))
app.get('/reports/:id', (c) => c.text(`${c.var.lock?.held} ${c.var.lock?.expiresIn}`))
app.put('/reports/:id', fenced({ guard: memoryGuard(), resource: 'report' }), (c) =>
  c.text(c.var.fence.toFixed()),
)
app.route('/redis', gateway({ token: 't', send: async () => 'OK', transaction: async () => [] }))

export const guards = [redisGuard({ eval: async () => ['done'] }), sqlGuard({ dialect: 'sqlite' })]
// @ts-expect-error -- another dialect
sqlGuard({ dialect: 'mysql' })
