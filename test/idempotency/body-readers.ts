import { type Context, Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { lock, throttle } from '../../src/entries/hono.ts'
import { withLock } from '../../src/entries/fetch.ts'
import { idempotent, withIdempotency } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

// Who may read the body: the functions of the options get copies, and the handler reads it after them.

const redlock = (): Redlock => new Redlock({ nodes: memoryNodes(3) })
const scope = (): string => 'ada'
const body = '{ "id": "7",  "price": 10 }'
const request = (): Request =>
  new Request('https://shop.example/orders', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'idempotency-key': 'a-key' },
  })

const honoReaders: readonly (readonly [name: string, read: (c: Context) => Promise<string>])[] = [
  ['c.req.json()', async (c) => (await c.req.json<{ id: string }>()).id],
  ['c.req.text()', async (c) => (await c.req.text()).slice(0, 9)],
  ['c.req.arrayBuffer()', async (c) => `${(await c.req.arrayBuffer()).byteLength}`],
  ['c.req.raw.json()', async (c) => ((await c.req.raw.json()) as { id: string }).id],
  ['c.req.raw.clone()', async (c) => ((await c.req.raw.clone().json()) as { id: string }).id],
  ['a header', async (c) => c.req.header('idempotency-key')!],
]
/** What a handler or later middleware reads the body by. */
const laterReaders: readonly (readonly [name: string, read: (c: Context) => Promise<string>])[] = [
  ['c.req.json()', async (c) => JSON.stringify(await c.req.json())],
  ['c.req.raw.text()', (c) => c.req.raw.text()],
  ['new Request(c.req.raw)', (c) => new Request(c.req.raw).text()],
  ['the reader of c.req.raw.body', (c) => new Response(c.req.raw.body).text()],
]
const compact = (text: string): string => JSON.stringify(JSON.parse(text))

/** The tests of who may read a body, for every runtime. */
export const bodyReaders = (runtime: string): void => {
  describe(`Bodies on ${runtime}`, () => {
    describe.each(honoReaders)('Hono: a key that is read by %s', (_, read) => {
      it.each(laterReaders)('leaves the body to %s', async (_name, readLater) => {
        const gates = {
          lock: lock({ redlock: redlock(), key: read, metadata: read }),
          throttle: throttle({ redlock: redlock(), key: read, window: 60_000 }),
          idempotent: idempotent({ redlock: redlock(), key: read, scope: read }),
          fingerprint: idempotent({ redlock: redlock(), scope, fingerprint: async () => 'f' }),
        }
        for (const gate of Object.values(gates)) {
          const app = new Hono().post('/orders', gate, async (c) => c.text(await readLater(c)))
          const response = await app.request(request())
          expect([response.status, compact(await response.text())]).toEqual([200, compact(body)])
        }
      })
    })

    const platformReaders: readonly (readonly [
      name: string,
      read: (given: Request) => Promise<string>,
    ])[] = [
      ['json()', async (given) => ((await given.json()) as { id: string }).id],
      ['text()', async (given) => (await given.text()).slice(0, 9)],
      ['bytes of its stream', async (given) => `${(await new Response(given.body).text()).length}`],
      ['clone()', async (given) => (await given.clone().text()).slice(0, 9)],
    ]

    describe.each(platformReaders)('functions: a key that is read by %s', (_, read) => {
      it('leaves the body to the handler', async () => {
        const handlers = [
          withLock(
            { redlock: redlock(), key: read },
            async (given: Request) => new Response(await given.text()),
          ),
          withIdempotency(
            { redlock: redlock(), key: read, scope: read },
            async (given: Request) => new Response(await given.text()),
          ),
        ]
        for (const handle of handlers) {
          const response = await handle(request())
          expect([response.status, await response.text()]).toEqual([200, body])
        }
      })

      it('of an event with a request leaves the body to the handler', async () => {
        type Event = { request: Request }
        const handle = withIdempotency(
          { redlock: redlock(), key: (event: Event) => read(event.request), scope },
          async ({ request: given }: Event) => new Response(await given.text()),
        )
        const response = await handle({ request: request() })
        expect([response.status, await response.text()]).toEqual([200, body])
      })
    })

    const message =
      /The body of the request has been read before: .*`request\.clone\(\)`.*`fingerprint`/

    it.each<[string, (c: Context) => Promise<unknown> | undefined]>([
      ['read', (c) => c.req.raw.text()],
      ['begun', (c) => c.req.raw.body?.getReader().read()],
    ])(
      'Hono: a body that middleware has %s before is an error that says what to do',
      async (_, read) => {
        const app = new Hono()
        app.use(async (c, next) => {
          await read(c)
          await next()
        })
        app.post('/orders', idempotent({ redlock: redlock(), scope }), (c) => c.text('ran'))
        app.onError((error, c) => c.text(error.message, 500))
        const response = await app.request(request())
        expect([response.status, await response.text()]).toEqual([
          500,
          expect.stringMatching(message),
        ])
      },
    )

    it('Hono: a body that middleware has read by c.req is there for all', async () => {
      const app = new Hono()
      app.use(async (c, next) => {
        await c.req.text()
        await next()
      })
      app.post('/orders', idempotent({ redlock: redlock(), scope }), async (c) =>
        c.json(await c.req.json()),
      )
      expect((await app.request(request())).status).toBe(200)
    })

    it.each(platformReaders)(
      'functions: gates that read one request at once by %s leave its body to the handler',
      async (_name, read) => {
        const given = request()
        const call = (pause: number): Promise<Response> => {
          const key = async (one: Request): Promise<string> => {
            await new Promise((resolve) => setTimeout(resolve, pause))
            return read(one)
          }
          return withLock({ redlock: redlock(), key }, async () => new Response('ran'))(given)
        }
        const responses = await Promise.all([call(0), call(0), call(5), call(5)])
        expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
        expect(await given.text()).toBe(body)
      },
    )

    it('functions: a frozen request passes with a key that reads none of it', async () => {
      const handle = withLock({ redlock: redlock(), key: 'k' }, async () => new Response('ran'))
      expect((await handle(Object.freeze(request()))).status).toBe(200)
    })

    it('functions: a body that was read before is an error that says what to do', async () => {
      const handle = withIdempotency(
        { redlock: redlock(), scope },
        async (_request: Request) => new Response('ran'),
      )
      const given = request()
      await given.text()
      await expect(handle(given)).rejects.toThrow(message)
    })
  })
}
