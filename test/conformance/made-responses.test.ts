import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { afterEach, expect, it } from 'vitest'
import { lock, throttle } from '../../src/entries/hono.ts'
import { idempotent } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { freshKey } from '../support/nodes.ts'
import { realNodes } from '../support/real-nodes.ts'

// Responses that a handler makes by `c.text()` and its like, and uses in ways that the middleware does not
// expect.

const redlock = new Redlock({ nodes: realNodes })

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** Serves an app by `@hono/node-server`, whose responses keep their bodies as they were given. */
const urlOf = (app: Hono): Promise<string> =>
  new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0 }, ({ port }: AddressInfo) =>
      resolve(`http://127.0.0.1:${port}`),
    )
    closers.push(() => server.close())
  })

it('bytes that the next holder overwrites are sent as they were under the lock', async () => {
  const scratch = new Uint8Array(1000)
  const app = new Hono()
  // Sends the response a while after the release.
  app.use(async (_, next) => {
    await next()
    await new Promise((resolve) => setTimeout(resolve, 20))
  })
  app.get('/:letter', lock({ redlock, key: freshKey(), wait: 20_000 }), (c) => {
    scratch.fill(c.req.param('letter').charCodeAt(0))
    return c.body(scratch)
  })
  const url = await urlOf(app)
  const letters = Array.from('ABCDEFGH')
  const bodies = letters.map(async (letter) => (await fetch(`${url}/${letter}`)).text())
  expect(await Promise.all(bodies)).toEqual(letters.map((letter) => letter.repeat(1000)))
})

it('one response for many requests gets the headers of none of them', async () => {
  let gone: Response | undefined
  const app = new Hono()
  app.use('/limited', throttle({ redlock, key: freshKey, window: 1000 }))
  app.use('/limited', lock({ redlock, key: freshKey }))
  app.get('/limited', (c) => (gone ??= c.json(undefined)))
  app.get('/free', () => gone!)
  const policies: (string | null)[] = []
  for (let count = 0; count < 3; count++) {
    const response = await app.request('/limited')
    policies.push(response.headers.get('ratelimit-policy'))
  }
  const policy = '"throttle";q=1;w=1'
  expect(policies).toEqual([policy, policy, policy])
  const free = await app.request('/free')
  expect([...free.headers.keys()]).not.toContain('ratelimit')
})

it('the context of the handler is the one of Hono, with its own methods', async () => {
  const methods = (c: Context): unknown[] => [c.text, c.json, c.html, c.body, c.newResponse]
  let [before, within]: unknown[][] = []
  const app = new Hono().use(async (c, next) => {
    before = methods(c)
    await next()
  })
  app.use(lock({ redlock, key: freshKey }), throttle({ redlock, key: freshKey, window: 1000 }))
  app.get('/', (c) => {
    within = methods(c)
    return c.text('done')
  })
  expect(await (await app.request('/')).text()).toBe('done')
  expect(within).toEqual(before)
})

it('a throttle neither reads nor copies a body that it can send as it is', async () => {
  let pulls = 0
  let made: Response | undefined
  const app = new Hono().get('/', throttle({ redlock, key: freshKey, window: 1000 }), () => {
    const pull = (controller: ReadableStreamDefaultController): void => {
      pulls++
      controller.enqueue(new TextEncoder().encode('part'))
      controller.close()
    }
    return (made = new Response(new ReadableStream({ pull }, { highWaterMark: 0 })))
  })
  const response = await app.request('/')
  expect([pulls, response === made]).toEqual([0, true])
  expect(response.headers.get('ratelimit')).not.toBeNull()
  expect(await response.text()).toBe('part')
})

it.each([
  ['lock()', lock({ redlock, key: freshKey })],
  ['throttle()', throttle({ redlock, key: freshKey, window: 1000 })],
  ['idempotent()', idempotent({ redlock, scope: () => 'user' })],
])('a handler that returns nothing is an error behind %s', async (_, middleware) => {
  const messages: string[] = []
  const app = new Hono().onError(({ message }, c) => {
    messages.push(message)
    return c.text('', 500)
  })
  app.post('/', middleware, (() => {}) as () => never)
  const headers = { 'idempotency-key': freshKey() }
  for (let call = 0; call < 2; call++) {
    expect((await app.request('/', { method: 'POST', headers })).status).toBe(500)
  }
  const message = '`handler` must be a function that returns a Response; got undefined (ERL01)'
  expect(messages).toEqual([message, message])
})
