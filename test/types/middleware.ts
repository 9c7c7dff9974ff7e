import { type Context, Hono } from 'hono'
import { validator } from 'hono/validator'
import { lock, locks as honoLocks, throttle } from '../../src/entries/hono.ts'
import { idempotent, locks } from '../../src/entries/idempotency.ts'
import { fromEnv, lockKey, Redlock, type SlotRedlock, withSlots } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

// Compiled by `npm run typecheck`, and never run. `npm run verify -- types` has more, in projects of users.

/** Bindings as `wrangler types` writes them: an interface has no index signature. */
interface Bindings {
  readonly REDLOCK_NODES: string
}
type AppEnv = { Bindings: Bindings; Variables: { userId: string } }

const redlock = (c: Context<AppEnv>): Redlock => fromEnv(c.env)
const untyped = (c: Context): Redlock => fromEnv(c.env)
const client = new Redlock({ nodes: memoryNodes(3) })
const slots = (c: Context<AppEnv>): SlotRedlock => withSlots(fromEnv(c.env))

export const compiled = [
  lock({ redlock, key: (c) => c.get('userId') }),
  lock<AppEnv>({ redlock: client, key: (c) => c.get('userId') }),
  lock({ redlock: untyped, key: (c: Context<AppEnv>) => c.get('userId') }),
  lock({ redlock, key: (c) => lockKey(c.get('userId'), c.req.param('id')) }),
  lock({ redlock, key: (c: Context<AppEnv, '/:id'>) => lockKey(c.req.param('id')) }),
  idempotent({ redlock, scope: (c) => c.var.userId }),
  throttle({ redlock, window: 5_000, key: (c) => lockKey(c.var.userId) }),
  lock({ redlock: withSlots(client), key: 'report', limit: 3 }),
  lock({ redlock: slots, key: (c) => lockKey(c.get('userId')), limit: 3 }),
  throttle({ redlock: slots, window: 5_000, key: (c) => c.var.userId, limit: 3 }),
  // @ts-expect-error -- a misspelt variable
  lock({ redlock: slots, key: (c) => c.var.usrId, limit: 3 }),
  // @ts-expect-error -- a misspelt variable would remove the lock
  lock({ redlock, key: (c) => c.get('usrId') }),
  // @ts-expect-error -- a misspelt or unknown variable
  throttle({ redlock, window: 5_000, key: (c) => c.get('usrId') }),
  // @ts-expect-error -- also where nothing is known of the Env
  lock({ redlock: untyped, key: (c) => c.get('usrId') }),
  // @ts-expect-error -- a misspelt or unknown variable
  lock({ redlock: client, key: (c) => c.var.usrId }),
  // @ts-expect-error -- a parameter that the named path does not have
  lock({ redlock, key: (c: Context<AppEnv, '/:id'>) => lockKey(c.req.param('di')) }),
  // @ts-expect-error -- a misspelt variable
  idempotent({ redlock, scope: (c) => c.var.usrId }),
  // @ts-expect-error -- also with a named Env
  lock<AppEnv>({ redlock: untyped, key: (c) => c.get('usrId') }),
]

// After a validator, whose result is in `c.req.valid()`.
type Order = { id: string; lines: number[] }
type OrderInput = { in: { json: Order }; out: { json: Order } }
const order = validator('json', (value) => value as Order)
const page = validator('query', () => ({ page: '1' }))
const key = (c: Context<AppEnv, '/validated', OrderInput>): string => c.req.valid('json').id
export const validated = new Hono<AppEnv>()
  .post('/validated', order, lock({ redlock, key: (c) => c.req.valid('json').id }), (c) => {
    c.var.lock?.signal.throwIfAborted()
    // The handler keeps the type of its validator.
    return c.json(c.req.valid('json').lines)
  })
  .post('/validated', order, page, lock({ redlock, key }), (c) => c.text(c.req.valid('query').page))
  .post('/validated', order, throttle({ redlock: client, window: 5_000, key }), (c) => c.body(null))
  .post(
    '/validated',
    order,
    idempotent({
      redlock,
      scope: (c) => c.req.valid('json').id,
      key: (c) => c.req.valid('json').id,
    }),
    (c) => c.body(null),
  )
  .post(
    '/validated',
    order,
    lock<AppEnv>({ redlock: client, key: (c) => [c.req.valid('json').id, c.var.userId] }),
    (c) => c.body(null),
  )
export const typedLater = lock({
  redlock: client,
  key: (c: Context<AppEnv, string, { out: { json: Order } }>) =>
    lockKey('order', c.req.valid('json').id),
})
export const wronglyValidated = [
  // @ts-expect-error -- a misspelt target
  lock({ redlock, key: (c) => c.req.valid('jsn').id }),
  lock({
    redlock,
    // @ts-expect-error -- a misspelt field of a named input
    key: (c: Context<AppEnv, '/validated', OrderInput>) => c.req.valid('json').idd,
  }),
]

// The middleware of one app: no route names the client or a type.
const app = locks<AppEnv>({
  redlock: (c) => fromEnv(c.env),
  scope: (c) => c.var.userId,
  failOpen: true,
  onRejected: ({ reason }, c) => (reason === 'in-flight' ? c.text('later', 425) : undefined),
})
const inferred = honoLocks({ redlock })
export const ofOneApp = [
  app.lock({ key: (c) => lockKey(c.var.userId, c.req.param('id')) }),
  app.throttle({ window: 5_000, key: (c) => c.get('userId'), failOpen: false }),
  app.idempotent(),
  app.idempotent({ wait: 5_000, scope: (c) => `other ${c.var.userId}` }),
  app.lock({ key: 'k', redlock: client }),
  inferred.lock({ key: (c) => c.var.userId }),
  // @ts-expect-error -- a misspelt variable
  app.lock({ key: (c) => c.var.usrId }),
  // @ts-expect-error -- a misspelt variable
  inferred.throttle({ window: 5_000, key: (c) => c.get('usrId') }),
  // @ts-expect-error -- a misspelt variable
  app.idempotent({ scope: (c) => c.var.usrId }),
  // @ts-expect-error -- a lock needs a key
  app.lock({ wait: 5_000 }),
  // @ts-expect-error -- a misspelt option
  app.throttle({ windw: 5_000, key: 'k' }),
]
// @ts-expect-error -- the client is required
honoLocks<AppEnv>({ failOpen: true })
// @ts-expect-error -- idempotent requests need a scope
locks<AppEnv>({ redlock: client })
// @ts-expect-error -- not an option of all routes
honoLocks<AppEnv>({ redlock: client, ttl: 5_000 })
