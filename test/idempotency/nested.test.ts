import { Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import { lock, type LockVariables } from '../../src/entries/hono.ts'
import { idempotent, withIdempotency } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'
import { freshKey } from '../support/nodes.ts'
import { later } from '../support/signals.ts'
import { realNodes } from '../support/real-nodes.ts'

// An inner `idempotent()` meets the claim of the outer one, and must not wait for it.

type Env = { Variables: LockVariables }
type Copy = {
  readonly idempotent: typeof idempotent
  readonly withIdempotency: typeof withIdempotency
  readonly Redlock: typeof Redlock
}
type Build = (handler: () => void, second: Copy) => (request: Request) => unknown

const nodes = realNodes.slice(0, 3)
const scope = (): string => 'user'
const optionsOf = (Client: typeof Redlock) => ({ redlock: new Client({ nodes }), scope })
const options = optionsOf(Redlock)

/** A second copy of the package in the same process. */
const secondCopy = async (): Promise<Copy> => {
  vi.resetModules()
  const copy = await import('../../src/entries/idempotency.ts')
  expect(copy.idempotent).not.toBe(idempotent)
  return { ...copy, Redlock: (await import('../../src/index.ts')).Redlock }
}

const inner = (once: typeof idempotent, Client: typeof Redlock, handler: () => void): Hono<Env> =>
  new Hono<Env>().post('*', once(optionsOf(Client)), (c) => {
    handler()
    return c.text(`held ${c.var.lock?.held}`)
  })

const builds: Readonly<Record<string, Build>> = {
  'in the same app': (handler) => {
    const app = new Hono<Env>().use(idempotent(options))
    return app.route('/', inner(idempotent, Redlock, handler)).fetch
  },
  'in the same app, by a second copy': (handler, second) => {
    const app = new Hono<Env>().use(idempotent(options))
    return app.route('/', inner(second.idempotent, second.Redlock, handler)).fetch
  },
  'behind app.mount()': (handler) =>
    new Hono().use(idempotent(options)).mount('/', inner(idempotent, Redlock, handler).fetch).fetch,
  'behind app.mount(), by a second copy': (handler, second) =>
    new Hono()
      .use(idempotent(options))
      .mount('/', inner(second.idempotent, second.Redlock, handler).fetch).fetch,
  'behind two of app.mount()': (handler) =>
    new Hono()
      .use(idempotent(options))
      .mount('/', new Hono().mount('/', inner(idempotent, Redlock, handler).fetch).fetch).fetch,
  'behind app.mount() at a path, which is another name': (handler) =>
    new Hono().use(idempotent(options)).mount('/a', inner(idempotent, Redlock, handler).fetch)
      .fetch,
  'by withIdempotency() behind app.mount()': (handler) =>
    new Hono().use(idempotent(options)).mount(
      '/',
      withIdempotency(options, (_request, _env, _ctx, lock) => {
        handler()
        return new Response(`held ${lock?.held}`)
      }),
    ).fetch,
  'within withIdempotency()': (handler) =>
    withIdempotency(options, (request) => inner(idempotent, Redlock, handler).fetch(request)),
  'within withIdempotency(), by a second copy': (handler, { withIdempotency: second }) =>
    second(options as never, (request: Request) =>
      inner(idempotent, Redlock, handler).fetch(request),
    ),
}

describe('a nested idempotent()', () => {
  it.each(Object.entries(builds))('%s runs once', async (_, build) => {
    let runs = 0
    const handle = build(() => void runs++, await secondCopy())
    const key = freshKey()
    const send = async (): Promise<Response> =>
      (await handle(
        new Request('https://example.com/a/b', {
          method: 'POST',
          headers: { 'idempotency-key': key },
          body: 'payload',
        }),
      )) as Response
    const [first, replay] = [await send(), await send()]
    expect([first.status, await first.text()]).toEqual([200, 'held true'])
    expect([replay.status, await replay.text()]).toEqual([200, 'held true'])
    expect(replay.headers.get('idempotent-replayed')).toBe('true')
    expect(runs).toBe(1)
  })
})

it('lock() around app.mount() is entered again behind idempotent()', async () => {
  const key = freshKey()
  const own = { redlock: options.redlock, key }
  const app = new Hono<Env>()
    .use(lock(own), idempotent(options))
    .mount('/', new Hono<Env>().post('*', lock(own), (c) => c.text('done')).fetch)
  const headers = { 'idempotency-key': freshKey() }
  const answer = await app.request('/', { method: 'POST', headers })
  expect([answer.status, await answer.text()]).toEqual([200, 'done'])
})

it('another request that a handler sends has a claim of its own', async () => {
  let charges = 0
  const billing = new Hono().post('*', idempotent(options), (c) => c.text(`charge ${++charges}`))
  const [order, charge] = [freshKey(), freshKey()]
  const app = new Hono().post('/orders', idempotent(options), async (c) => {
    const send = () =>
      billing.request('/charges', { method: 'POST', headers: { 'idempotency-key': charge } })
    const answers = [send(), send()]
    const texts: string[] = []
    for (const answer of answers) texts.push(`${(await answer).status}`)
    return c.text(texts.sort().join())
  })
  const headers = { 'idempotency-key': order }
  const answer = await app.request('/orders', { method: 'POST', headers })
  expect(await answer.text()).toMatch(/^200,(200|409)$/)
  expect(charges).toBe(1)
})

it('a duplicate of a request is rejected while its handler runs', async () => {
  const { promise: finished, resolve: finish } = later()
  let runs = 0
  const app = new Hono().post('*', idempotent(options), async (c) => {
    runs++
    await finished
    return c.text('done')
  })
  const headers = { 'idempotency-key': freshKey() }
  const first = app.request('/', { method: 'POST', headers })
  await eventually(() => expect(runs).toBe(1))
  const second = await app.request('/', { method: 'POST', headers })
  finish()
  expect([second.status, (await first).status]).toEqual([409, 200])
})
