import { Hono } from 'hono'
import { validator } from 'hono/validator'
import { expect, it } from 'vitest'
import { lock } from '../../src/entries/hono.ts'
import { lockKey } from '../../src/index.ts'
import { freshKey, redlock } from '../options/call.ts'

// `key` after a validator, and what it may not return.

const failures: string[] = []
const app = new Hono()
  .onError((error, c) => {
    failures.push(error.message)
    return c.text('failed', 500)
  })
  .post(
    '/orders',
    validator('json', (value) => value as { id: string; number: number }),
    lock({ redlock, key: (c) => lockKey('order', c.req.valid('json').id) }),
    (c) => c.json({ keys: c.var.lock?.keys, ...c.req.valid('json') }),
  )
  .post(
    '/numbers',
    validator('json', (value) => value as { number: number }),
    lock({ redlock, key: (c) => c.req.valid('json').number }),
    (c) => c.text('done'),
  )
  .post('/missing', lock({ redlock, key: (c) => c.req.valid('json') }), (c) => c.text('done'))

const post = async (path: string, body: object): Promise<Response> =>
  app.request(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

it('the key may use what a validator has found', async () => {
  const id = freshKey()
  const response = await post('/orders', { id })
  expect(await response.json()).toEqual({ keys: [`order:${id}`], id })
})

it.each([
  ['/numbers', { number: 7 }, 'number'],
  ['/numbers', { number: Number.MAX_VALUE }, 'number'],
  ['/numbers', {}, 'undefined'],
  ['/missing', {}, 'undefined'],
])('%s %o: a key of another kind is rejected by name', async (path, body, got) => {
  expect((await post(path, body)).status).toBe(500)
  expect(failures.at(-1)).toBe(`\`key\` must be text, an array or null; got ${got} (ERL01)`)
})
