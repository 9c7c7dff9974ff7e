import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { withLock, withThrottle } from '../../src/entries/fetch.ts'
import { withIdempotency } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

// What platforms and frameworks call a handler with: each gets responses, and never the result of a Lambda as data.

const redlock = (): Redlock => new Redlock({ nodes: memoryNodes(3) })
const headers = { 'idempotency-key': 'a-key', 'content-type': 'application/json' }
const request = (): Request =>
  new Request('https://shop.example/orders?a=1', { method: 'POST', body: '{"id":7}', headers })

/** As h3 1 has it: it keeps the body that it has read by a symbol. verification/frameworks has the real one. */
const h3Event = (status = 200) => ({
  __is_event__: true,
  method: 'POST',
  path: '/orders?a=1',
  headers: new Headers({ ...headers, 'content-length': '8' }),
  handled: false,
  node: {
    req: Readable.from([Buffer.from('{"id"'), Buffer.from(':7}')]),
    res: { statusCode: status, getHeaders: () => ({}) },
  },
})

const inputs: readonly (readonly [name: string, make: () => object])[] = [
  ['a Request', request],
  [
    'the event of SvelteKit',
    () => ({ request: request(), url: new URL('https://a.example'), locals: {} }),
  ],
  ['the context of Astro', () => ({ request: request(), locals: {}, redirect: () => {} })],
  ['the arguments of React Router', () => ({ request: request(), params: {}, context: {} })],
  ['the event of SolidStart', () => ({ request: request(), nativeEvent: {}, locals: {} })],
  [
    'the event of h3 2',
    () => ({ req: request(), res: { status: undefined }, url: new URL('https://a.example') }),
  ],
  ['the event of h3 1', () => h3Event()],
]

describe.each(inputs)('%s', (_, make) => {
  it('is rejected by a Response while another holds the lock', async () => {
    const client = redlock()
    const held = await client.acquire('k')
    const handle = withLock<object>({ redlock: client, key: 'k' }, () => new Response('ran'))
    const rejected = (await handle(make())) as unknown
    expect(rejected).toBeInstanceOf(Response)
    expect((rejected as Response).status).toBe(409)
    await held.release()
    expect(await (await handle(make())).text()).toBe('ran')
  })

  it('is rejected by a Response inside the window of a throttle', async () => {
    const handle = withThrottle<object>(
      { redlock: redlock(), key: 'k', window: 60_000 },
      () => new Response('ran'),
    )
    expect((await handle(make())).status).toBe(200)
    expect((await handle(make())).status).toBe(429)
  })

  it('is idempotent, with the method, the path and the payload of its request', async () => {
    let runs = 0
    const handle = withIdempotency<object>({ redlock: redlock(), scope: () => 'ada' }, () => {
      runs++
      return Response.json({ id: 7 }, { status: 201 })
    })
    const [first, replay] = [await handle(make()), await handle(make())]
    expect([first.status, replay.status, runs]).toEqual([201, 201, 1])
    expect(replay.headers.get('idempotent-replayed')).toBe('true')
    const other = new Request('https://shop.example/orders?a=1', {
      method: 'POST',
      body: '{}',
      headers,
    })
    expect((await handle(other)).status).toBe(422)
  })
})

it('nested wrappers of one event hold one lock', async () => {
  const client = redlock()
  const inner = withLock({ redlock: client, key: 'k' }, (_request: Request) => new Response('ran'))
  const outer = withLock({ redlock: client, key: 'k' }, (event: { request: Request }) =>
    inner(event.request),
  )
  expect((await outer({ request: request() })).status).toBe(200)
})

describe('h3', () => {
  const handlerOf = (run: (event: ReturnType<typeof h3Event>) => unknown) =>
    withIdempotency<ReturnType<typeof h3Event>, unknown, unknown, unknown>(
      { redlock: redlock(), scope: () => 'ada' },
      run,
    )

  it.each<[string, unknown, number, string | null]>([
    ['data', { id: 7 }, 201, '{"id":7}'],
    ['a list', [1], 201, '[1]'],
    ['text', '<p>', 201, '<p>'],
    ['a number', 5, 201, '5'],
    ['null', null, 201, ''],
    ['a Map', new Map(), 201, '{}'],
  ])(
    'returns %s as it is, and replays the response that h3 makes of it',
    async (_, data, status, text) => {
      let runs = 0
      const handle = handlerOf(() => {
        runs++
        return data
      })
      expect(await handle(h3Event(201))).toEqual(data)
      const replay = (await handle(h3Event(201))) as Response
      expect([replay.status, await replay.text(), runs]).toEqual([status, text, 1])
    },
  )

  it('replays the redirect that sendRedirect has sent', async () => {
    let runs = 0
    const handle = handlerOf((event) => {
      runs++
      const res = { statusCode: 303, getHeaders: () => ({ location: '/orders/1' }) }
      Object.assign(event, { handled: true, node: { ...event.node, res } })
    })
    expect(await handle(h3Event())).toBe(undefined)
    const replay = (await handle(h3Event())) as Response
    expect([replay.status, replay.headers.get('location'), runs]).toEqual([303, '/orders/1', 1])
  })

  it('leaves the body that it has read to readBody of the handler', async () => {
    const handle = handlerOf(async ({ node }) => {
      const { [Symbol.for('h3RawBody')]: body } = node.req as unknown as Record<
        symbol,
        Promise<Buffer>
      >
      return (await body!).toString()
    })
    expect(await handle(h3Event())).toBe('{"id":7}')
  })

  it.each<[string, (event: ReturnType<typeof h3Event>) => unknown]>([
    [
      'a handler that answers by itself',
      (event) => {
        event.handled = true
      },
    ],
    ['nothing', () => undefined],
  ])('%s is passed on, and a repeated request hears that it has run', async (_, run) => {
    let runs = 0
    const handle = handlerOf((event) => {
      runs++
      return run(event)
    })
    expect(await handle(h3Event())).toBe(undefined)
    expect(((await handle(h3Event())) as Response).status).toBe(409)
    expect(runs).toBe(1)
  })
})
