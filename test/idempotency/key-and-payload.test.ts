import type { Context } from 'hono'
import { describe, expect, it } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { appWith } from './app.ts'

// Which requests are the same: the header with the key, and the payload.

const done = (): Response => new Response('done', { status: 201 })
const shop = (options = {}) => appWith(new Redlock({ nodes: memoryNodes(3) }), done, options)

describe('the key', () => {
  it.each([
    '"abc";v=1',
    '"abc"; v=1',
    '"abc";a;b=?1;d=1.5;e=:YQ==:;f=token/*',
    '"abc";',
    ' "abc" ',
    'abc',
  ])('%s is abc: the parameters of an item say nothing', async (header) => {
    const { post, runs } = shop()
    await post('abc')
    const replay = await post(header)
    expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expect(runs()).toBe(1)
  })

  it.each(['"abc";v=1, "b"', '"abc" x', '"abc";v="', '"a";b "c"'])(
    '%s is no single key',
    async (header) => {
      const reasons: string[] = []
      const onRejected = ({ reason }: { reason: string }) => void reasons.push(reason)
      const { post } = shop({ onRejected })
      expect((await post(header)).status).toBe(400)
      expect(reasons).toEqual(['invalid-key'])
    },
  )

  it.each(['""', '"";v=1', '', ' '])('%j is none', async (header) => {
    const reasons: string[] = []
    const onRejected = ({ reason }: { reason: string }) => void reasons.push(reason)
    const { post } = shop({ onRejected })
    expect((await post(header)).status).toBe(400)
    expect(reasons).toEqual(['missing-key'])
    const free = shop({ required: false })
    expect([(await free.post(header)).status, (await free.post(header)).status]).toEqual([201, 201])
    expect(free.runs()).toBe(2)
  })
})

describe('the option `key`', () => {
  const eventId = async (c: Context): Promise<string | undefined> =>
    (await c.req.json<{ id?: string }>()).id

  it('names a request by what is in its body, which the handler still reads', async () => {
    const bodies: unknown[] = []
    const webhook = appWith(
      new Redlock({ nodes: memoryNodes(3) }),
      async (c) => {
        bodies.push(await c.req.json())
        return c.text('done')
      },
      { key: eventId },
    )
    const send = (body: object) => webhook.post(undefined, JSON.stringify(body))
    await send({ id: 'evt_1', type: 'paid' })
    const replay = await send({ id: 'evt_1', type: 'paid' })
    expect(replay.headers.get('idempotent-replayed')).toBe('true')
    expect((await send({ id: 'evt_1', type: 'refunded' })).status).toBe(422)
    expect((await send({ id: 'evt_2', type: 'paid' })).status).toBe(200)
    expect(bodies).toEqual([
      { id: 'evt_1', type: 'paid' },
      { id: 'evt_2', type: 'paid' },
    ])
  })

  it('rejects a request without text, unless none is required', async () => {
    const { post } = shop({ key: eventId })
    const rejected = await post(undefined, '{}')
    expect([rejected.status, await rejected.json()]).toEqual([
      400,
      expect.objectContaining({ detail: 'The request needs a key.' }),
    ])
    const free = shop({ key: eventId, required: false })
    expect((await free.post(undefined, '{}')).status).toBe(201)
  })

  it('is a function, and returns text', async () => {
    expect(() => shop({ key: 'x-id' })).toThrow('`key` must be a function; got string')
    const errors: string[] = []
    // The last is the id of an event whose sender has chosen it: it must not name the request of another.
    const ids = [7, ['missing-key'], { key: 'a', fingerprint: 'f' }]
    for (const id of ids) {
      const { app, post, runs } = shop({ key: () => id })
      app.onError((error, c) => {
        errors.push(error.message)
        return c.text('', 500)
      })
      expect((await post(undefined)).status).toBe(500)
      expect(runs()).toBe(0)
    }
    const message = '`key(...)` must be text; got '
    expect(errors).toEqual(
      ['number', 'an array', 'object'].map((kind) => `${message}${kind} (ERL01)`),
    )
  })
})

it('a form and a text that is no form are never the same payload', async () => {
  const boundary = 'x'
  const form = `--x\r\ncontent-disposition: form-data; name="amount"\r\n\r\n1\r\n--x--\r\n`
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  const { post, runs } = shop()
  expect((await post('abc', form, { headers })).status).toBe(201)
  expect((await post('abc', '["amount",1]1', { headers })).status).toBe(422)
  expect((await post('b', '["amount",1]1', { headers })).status).toBe(201)
  const again = await post('b', '["amount",1]1', { headers })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(runs()).toBe(2)
})
