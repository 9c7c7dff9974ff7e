import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { setCookie } from 'hono/cookie'
import { describe, expect, it } from 'vitest'
import type { LockVariables } from '../../src/entries/hono.ts'
import {
  idempotent,
  type IdempotentOptions,
  type RequestRejection,
  withIdempotency,
} from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { during, reject, withFault } from '../support/faults.ts'
import { freshKey } from '../support/nodes.ts'
import { realNodes } from '../support/real-nodes.ts'

// The first answer is that of the handler, with all of its headers, whatever is recorded.

const nodes = realNodes.slice(0, 3)
const redlock = new Redlock({ nodes })
const scope = (): string => 'user'

const post = (): Request =>
  new Request('https://example.com/', {
    method: 'POST',
    headers: { 'idempotency-key': freshKey() },
  })

describe('the headers of a handler', () => {
  const headers = { 'set-cookie': 'session=abc', 'cache-control': 'no-store' }
  const around = (...inner: ReturnType<typeof idempotent>[]) => {
    const app = new Hono<{ Variables: LockVariables }>()
    app.use(async (c, next) => {
      setCookie(c, 'visitor', '1')
      c.header('cache-control', 'public, max-age=60')
      c.header('x-earlier', 'yes')
      await next()
    })
    for (const middleware of inner) app.use(middleware)
    return app
  }

  it.each<[string, () => Response]>([
    ['a raw response', () => new Response('done', { headers })],
    ['a raw response without a body', () => new Response(null, { status: 204, headers })],
  ])(
    'are those without the middleware, in %s after headers that were set before',
    async (_, make) => {
      const shown = async (app: ReturnType<typeof around>) => {
        const { status, headers: sent } = await app.post('/', make).fetch(post())
        const all = Object.fromEntries(sent)
        return { status, ...all, 'set-cookie': sent.getSetCookie() }
      }
      const plain = await shown(around())
      expect(plain['set-cookie']).toEqual(['session=abc'])
      expect(await shown(around(idempotent({ redlock, scope })))).toEqual(plain)
    },
  )

  it('are beside those that were set before where Hono makes the response', async () => {
    const app = around(idempotent({ redlock, scope }))
    app.post('/', (c) => {
      setCookie(c, 'session', 'abc')
      return c.text('done')
    })
    const { headers: sent } = await app.fetch(post())
    expect(sent.getSetCookie().map((one) => one.split(';', 1)[0])).toEqual([
      'visitor=1',
      'session=abc',
    ])
    expect(sent.get('x-earlier')).toBe('yes')
  })
})

describe('an answer that was not recorded', () => {
  const failing = new Redlock({
    nodes: nodes.map((node) => withFault(node, during('c', reject))),
    // One try to write a record.
    budget: 6,
    warnings: false,
  })
  const order = (): Response => new Response('order 7', { headers: { 'x-order': '7' } })
  type OnRejected = (rejection: RequestRejection) => Response | Promise<Response>
  it.each<[string, OnRejected]>([
    ['as it is', ({ response }) => response!],
    ['as a copy', ({ response }) => new Response(response!.body, response)],
    ['by its body', ({ response }) => new Response(response!.body, { headers: response!.headers })],
    [
      'through a stream',
      ({ response }) => new Response(response!.body!.pipeThrough(new TransformStream()), response),
    ],
    [
      'through a stream that reads late',
      ({ response }) => {
        const { body } = response!
        let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
        const late = new ReadableStream<Uint8Array>(
          {
            pull: async (controller) => {
              reader ??= body!.getReader()
              const { done, value } = await reader.read()
              if (done) controller.close()
              else controller.enqueue(value)
            },
          },
          { highWaterMark: 0 },
        )
        return new Response(late, response)
      },
    ],
    ['as a clone', ({ response }) => response!.clone()],
    ['as text', async ({ response }) => new Response(await response!.text(), response)],
  ])('can be returned by `onRejected` %s', async (_, make) => {
    const options = { redlock: failing, scope }
    const onRejected = (...[rejection]: Parameters<NonNullable<IdempotentOptions['onRejected']>>) =>
      make(rejection)
    const app = new Hono()
    app.use(cors(), async (c, next) => {
      setCookie(c, 'visitor', '1')
      await next()
    })
    app.post('/', idempotent({ ...options, onRejected }), order)
    const handle = withIdempotency(
      { ...options, onRejected: (rejection) => make(rejection) },
      order,
    )
    for (const fetch of [app.fetch, handle]) {
      const answer = await fetch(post())
      expect([answer.status, await answer.text()]).toEqual([200, 'order 7'])
      expect(answer.headers.get('x-order')).toBe('7')
      expect(answer.headers.getSetCookie().length).toBeLessThan(2)
    }
  })
})
