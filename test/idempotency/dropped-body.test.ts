import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { lock, throttle } from '../../src/entries/hono.ts'
import { idempotent } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'
import { freshKey } from '../support/nodes.ts'
import { realNodes } from '../support/real-nodes.ts'

// A body that is dropped ends at once, and with it the lock around what produces it.

const nodes = realNodes.slice(0, 3)
const redlock = new Redlock({ nodes, ttl: 60_000 })

/** A body that does not end by itself. */
const endless = (chunk: unknown) => {
  const state = { isCancelled: false }
  const body = new ReadableStream({
    pull: async (controller) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      controller.enqueue(chunk)
    },
    cancel: () => void (state.isCancelled = true),
  })
  return { state, body: body as ReadableStream<Uint8Array> }
}

const bytes = new Uint8Array(1000)
const fail = (): never => {
  throw new Error('a mistake in a callback')
}

it.each([
  ['`shouldRecord` throws', bytes, { shouldRecord: fail }],
  ['a chunk is text', 'text', {}],
])('idempotent() around lock(): %s', async (_, chunk, options) => {
  const { state, body } = endless(chunk)
  const key = freshKey()
  const app = new Hono()
    .onError((_error, c) => c.text('', 500))
    .use(idempotent({ redlock, scope: () => 'user', ...options }))
    .post('/', lock({ redlock, key }), () => new Response(body))
  const headers = { 'idempotency-key': freshKey() }
  const response = await app.request('/', { method: 'POST', headers })
  expect(response.status).toBe(500)
  await eventually(() => expect(state.isCancelled).toBe(true))
  const lockAfter = await redlock.acquire(key, { wait: 5_000 })
  await lockAfter.release()
})

it('throttle() around lock(): `countIf` throws', async () => {
  const { state, body } = endless(bytes)
  const key = freshKey()
  const app = new Hono()
    .onError((_error, c) => c.text('', 500))
    .use(throttle({ redlock, key: freshKey(), window: 60_000, countIf: fail }))
    .get('/', lock({ redlock, key }), () => new Response(body))
  expect((await app.request('/')).status).toBe(500)
  await eventually(() => expect(state.isCancelled).toBe(true))
  const lockAfter = await redlock.acquire(key, { wait: 5_000 })
  await lockAfter.release()
})
