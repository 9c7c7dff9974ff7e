import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { locks as locksOfHono } from '../../src/entries/hono.ts'
import { locks } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { reject, withFault } from '../support/faults.ts'
import { freshKey } from '../support/nodes.ts'

const redlock = new Redlock({ nodes: memoryNodes(3) })
const url = 'http://127.0.0.1:1'
const unreachable = new Redlock({
  nodes: [1, 2, 3].map((port) => withFault({ url: `${url}${port}`, token: 't' }, reject)),
  warnings: false,
})

type AppEnv = { Variables: { user: string } }

/** An app of one user. */
const appOf = (): Hono<AppEnv> =>
  new Hono<AppEnv>().use((c, next) => {
    c.set('user', c.req.header('x-user') ?? 'ada')
    return next()
  })

it('gives every middleware of an app its client and what its routes have in common', async () => {
  const { lock, throttle, idempotent } = locks<AppEnv>({
    redlock: () => redlock,
    scope: (c) => c.var.user,
    onRejected: ({ reason }, c) => c.text(`rejected: ${reason}`, 418),
  })
  const [key, other] = [freshKey(), freshKey()]
  const app = appOf()
    .post('/lock', lock({ key }), (c) => c.text(`${c.var.lock?.held}`))
    .post('/throttle', throttle({ key, window: 60_000 }), (c) => c.text('passed'))
    .post('/own', throttle({ key, window: 60_000, onRejected: () => undefined }), (c) => c.text(''))
    .post('/orders', idempotent(), (c) => c.text(crypto.randomUUID(), 201))
    .post('/one', idempotent({ scope: () => 'everybody' }), (c) => c.text(crypto.randomUUID()))
  const post = async (path: string, user = 'ada'): Promise<string> => {
    const headers = { 'idempotency-key': other, 'x-user': user }
    const response = await app.request(path, { method: 'POST', headers })
    return `${response.status} ${await response.text()}`
  }
  expect(await post('/lock')).toBe('200 true')
  expect(await post('/throttle')).toBe('200 passed')
  expect(await post('/throttle')).toBe('418 rejected: throttled')
  expect(await post('/own')).toMatch(/^429 /)
  const order = await post('/orders')
  expect(await post('/orders')).toBe(order)
  expect(await post('/orders', 'bob')).not.toBe(order)
  expect(await post('/one', 'bob')).toBe(await post('/one'))
})

it('lets locks and throttles pass in an outage if failOpen is a default; idempotent requests never', async () => {
  const defaults = { redlock: unreachable, failOpen: true } as const
  const { lock, throttle } = locksOfHono(defaults)
  const { idempotent } = locks({ ...defaults, scope: () => 'user' })
  const app = new Hono()
    .post('/lock', lock({ key: 'k' }), (c) => c.text('passed'))
    .post('/closed', lock({ key: 'k', failOpen: false }), (c) => c.text('passed'))
    .post('/throttle', throttle({ key: 'k', window: 5_000 }), (c) => c.text('passed'))
    .post('/orders', idempotent(), (c) => c.text('passed'))
  const statuses = ['/lock', '/closed', '/throttle', '/orders'].map(async (path) => {
    const headers = { 'idempotency-key': 'k' }
    return (await app.request(path, { method: 'POST', headers })).status
  })
  expect(await Promise.all(statuses)).toEqual([200, 503, 200, 503])
})

it('rejects a default that its middleware does not have, when a route uses it', () => {
  const { lock } = locksOfHono({ redlock, windw: 5 } as never)
  expect(() => lock({ key: 'k' })).toThrow('windw')
})
