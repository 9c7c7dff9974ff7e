import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { lock, throttle, type LockVariables } from '../../src/entries/hono.ts'
import { idempotent } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

const redlock = () => new Redlock({ nodes: memoryNodes(3) })
const scope = () => 'user-1'

it('replays the header that the handler has set, although middleware before it has set another', async () => {
  const app = new Hono()
  app.use(async (c, next) => {
    // As `cors` and others of Hono do it.
    c.res.headers.set('content-language', 'en')
    c.res.headers.set('link', '</style.css>; rel=preload')
    await next()
  })
  app.post('/', idempotent({ redlock: redlock(), scope }), (c) => {
    c.header('content-language', 'de')
    c.header('link', '</orders/1>; rel=self')
    return c.text('fertig', 201)
  })
  const post = () => app.request('/', { method: 'POST', headers: { 'idempotency-key': 'k' } })
  const first = await post()
  const again = await post()
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  const shown = (r: Response) => [r.headers.get('content-language'), r.headers.get('link')]
  expect(shown(first)).toEqual(['de', '</orders/1>; rel=self'])
  expect(shown(again)).toEqual(shown(first))
})

it('sends the cookie and the headers of `onRejected`, although middleware before it has set others', async () => {
  const app = new Hono()
  app.use(async (c, next) => {
    c.res.headers.append('set-cookie', 'early=1')
    c.res.headers.set('cache-control', 'public')
    c.res.headers.set('vary', 'Origin')
    await next()
  })
  const onRejected = () =>
    new Response('no', {
      status: 400,
      headers: { 'set-cookie': 'own=1', 'cache-control': 'no-store', vary: 'Accept' },
    })
  app.post('/', idempotent({ redlock: redlock(), scope, onRejected }), (c) => c.text('x'))
  const rejected = await app.request('/', { method: 'POST' })
  expect(rejected.status).toBe(400)
  expect(rejected.headers.getSetCookie().sort()).toEqual(['early=1', 'own=1'])
  expect(rejected.headers.get('cache-control')).toBe('no-store')
  expect(rejected.headers.get('vary')).toBe('Accept, Origin')
})

it('leaves a variable `lock` of the app alone where it passes without a lock', async () => {
  const app = new Hono<{ Variables: { lock: unknown } }>()
  const seen: unknown[] = []
  app.use(async (c, next) => {
    c.set('lock', 'door 7')
    await next()
    seen.push(c.get('lock'))
  })
  app.get('/idempotent', idempotent({ redlock: redlock(), scope }) as never, (c) => c.text('x'))
  app.get(
    '/throttle',
    throttle({ redlock: redlock(), key: () => null, window: 1000 }) as never,
    (c) => c.text('x'),
  )
  await app.request('/idempotent')
  await app.request('/throttle')
  expect(seen).toEqual(['door 7', 'door 7'])
})

it('keeps an outer lock hidden by one that was not acquired, also after a throttle inside', async () => {
  const client = redlock()
  const app = new Hono<{ Variables: LockVariables }>()
  const seen: unknown[] = []
  app.use(lock({ redlock: client, key: 'outer' }))
  app.use(lock({ redlock: client, key: () => null }))
  app.use(async (c, next) => {
    seen.push(c.get('lock'))
    await next()
    seen.push(c.get('lock')?.keys)
  })
  app.get('/', throttle({ redlock: client, key: () => null, window: 1000 }), (c) => c.text('x'))
  await app.request('/')
  expect(seen).toEqual([undefined, undefined])
})

it.each([
  ['shared memory', () => new Uint8Array(new SharedArrayBuffer(3)).fill(65)],
  [
    'a resizable buffer',
    () => new Uint8Array(Reflect.construct(ArrayBuffer, [3, { maxByteLength: 9 }])).fill(65),
  ],
])('sends a body of one chunk in %s', async (_, make) => {
  const app = new Hono()
  app.get('/', lock({ redlock: redlock(), key: 'k' }), () => {
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(make())
        controller.close()
      },
    })
    return new Response(body)
  })
  const response = await app.request('/')
  expect(response.status).toBe(200)
  expect(await response.text()).toBe('AAA')
})
