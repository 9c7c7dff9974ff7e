import type { Context } from 'hono'
import { describe, expect, it } from 'vitest'
import type { RequestRejection } from '../../src/entries/idempotency.ts'
import { type LockNode, Redlock, type RestNodeOptions } from '../../src/index.ts'
import { freshKey } from '../support/nodes.ts'
import { eventually } from '../support/eventually.ts'
import { type Front, inHono, type Options } from './adapters.ts'
import { answerOf, type Handler, postTo } from './app.ts'
import { later } from '../support/signals.ts'

/** The tests of idempotent requests for every kind of node, every runtime and every adapter. */
export const requests = (
  name: string,
  nodes: readonly (RestNodeOptions | LockNode)[],
  front: Front = inHono,
): void => {
  const appWith = (handler: Handler, options: Partial<Options> = {}) => {
    let runs = 0
    const redlock = new Redlock({ nodes })
    const serve = front({ redlock, ...options }, (c) => {
      runs++
      return handler(c)
    })
    return { post: postTo(serve), runs: () => runs }
  }
  const created = (c: Context): Response => c.json({ id: crypto.randomUUID() }, 201)

  describe(`${name}: idempotent`, () => {
    it('replays the answer to a request with the same key, and marks it', async () => {
      const { post, runs } = appWith((c) => {
        c.header('location', '/orders/1')
        c.header('x-other', 'not recorded')
        c.header('set-cookie', 'session=1')
        return created(c)
      })
      const key = freshKey()
      const first = await post(key)
      expect(first.headers.get('idempotent-replayed')).toBeNull()
      expect(first.headers.get('set-cookie')).toBe('session=1')
      const replay = await post(key)
      expect(Object.fromEntries(replay.headers)).toEqual({
        'content-type': 'application/json',
        location: '/orders/1',
        'idempotent-replayed': 'true',
      })
      expect(replay.status).toBe(201)
      expect(await replay.text()).toBe(await first.text())
      expect(runs()).toBe(1)
    })

    it('runs one of ten concurrent requests; the others wait for its answer', async () => {
      const { post, runs } = appWith(created, { wait: 30_000 })
      const key = freshKey()
      const responses = await Promise.all(Array.from({ length: 10 }, () => post(key)))
      const answers = await Promise.all(responses.map(answerOf))
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201))
      expect(new Set(answers.map(({ bytes }) => bytes.join())).size).toBe(1)
      expect(answers.filter(({ replayed }) => replayed === 'true')).toHaveLength(9)
      expect(runs()).toBe(1)
    })

    it('answers 409 with Retry-After while the request is being processed', async () => {
      const { promise: finished, resolve: finish } = later()
      const { post, runs } = appWith(async (c) => {
        await finished
        return created(c)
      })
      const key = freshKey()
      const first = post(key)
      await eventually(() => expect(runs()).toBe(1))
      const second = await post(key)
      expect(second.status).toBe(409)
      expect(second.headers.get('retry-after')).toBe('1')
      expect(second.headers.get('content-type')).toBe('application/problem+json')
      expect(await second.json()).toEqual({
        type: 'urn:edge-redlock:ERL13',
        title: 'Conflict',
        status: 409,
        detail: 'The same request is being processed. Please try again in a moment.',
        reason: 'in-flight',
      })
      const other = await post(key, 'another payload')
      expect(other.status).toBe(422)
      finish()
      const { bytes } = await answerOf(await first)
      expect((await answerOf(await post(key))).bytes).toEqual(bytes)
      expect(runs()).toBe(1)
    })

    it('answers 422 to another payload, query or content type', async () => {
      const { post, runs } = appWith(created)
      const key = freshKey()
      expect((await post(key, 'a', { headers: { 'content-type': 'text/plain' } })).status).toBe(201)
      const others = [
        await post(key, 'b', { headers: { 'content-type': 'text/plain' } }),
        await post(key, 'a', { headers: { 'content-type': 'text/html' } }),
        await post(key, 'a', { headers: { 'content-type': 'text/plain' }, path: '/orders?x=1' }),
      ]
      expect(others.map(({ status }) => status)).toEqual([422, 422, 422])
      expect(await others[0]!.json()).toMatchObject({ title: 'Unprocessable Content' })
      expect(others[0]!.headers.get('retry-after')).toBeNull()
      expect(runs()).toBe(1)
    })

    it('keeps users, methods and paths apart', async () => {
      const { post, runs } = appWith(created)
      const key = freshKey()
      const answers = [
        await post(key),
        await post(key, 'a', { headers: { 'x-user': 'user-2' } }),
        await post(key, 'a', { method: 'PUT' }),
        await post(key, 'a', { path: '/orders/7' }),
      ]
      expect(answers.map((one) => one.headers.get('idempotent-replayed'))).toEqual(
        Array(4).fill(null),
      )
      expect(runs()).toBe(4)
    })

    it('takes a quoted key, as the draft writes it, for the same key', async () => {
      const { post, runs } = appWith(created)
      const key = freshKey()
      const { bytes } = await answerOf(await post(key))
      expect((await answerOf(await post(`"${key}"`))).bytes).toEqual(bytes)
      expect(runs()).toBe(1)
    })

    it.each([
      ['no key', undefined, 400],
      ['an empty key', '', 400],
      ['a key of 256 characters', 'k'.repeat(256), 400],
      ['two keys', 'a, b', 400],
      ['two quoted keys', '"a", "b"', 400],
      ['a quote inside', 'a"b', 400],
      ['an empty quoted key', '""', 400],
      ['a key of 255 characters', 'k'.repeat(255), 201],
      ['a quoted key with a comma', '"a, b"', 201],
    ])('answers a request with %s', async (_, key, status) => {
      const { post, runs } = appWith(created, { scope: () => `user-${freshKey()}` })
      const response = await post(key)
      expect(response.status).toBe(status)
      expect(runs()).toBe(status === 201 ? 1 : 0)
      if (status === 400) {
        expect(response.headers.get('content-type')).toBe('application/problem+json')
        expect((await response.json()).detail).toMatch(/Idempotency-Key/)
      }
    })

    it('lets safe methods pass, and requests without a key where none is required', async () => {
      const { post, runs } = appWith(created, { required: false })
      expect((await post(undefined)).status).toBe(201)
      expect((await post('k', null, { method: 'GET' })).status).toBe(201)
      expect((await post('k', null, { method: 'OPTIONS' })).status).toBe(201)
      expect(runs()).toBe(3)
    })

    it.each([
      ['an Error', () => Promise.reject(new Error('mistake')), 500],
      ['a 503', (c: Context) => c.text('later', 503), 503],
      ['a 429', (c: Context) => c.text('later', 429), 429],
      [
        'Retry-After',
        (c: Context) => c.text('later', { status: 202, headers: { 'retry-after': '1' } }),
        202,
      ],
    ])('does not record %s, and lets the next request run at once', async (_, handler, status) => {
      const { post, runs } = appWith(handler as (c: Context) => Response)
      const key = freshKey()
      expect((await post(key)).status).toBe(status)
      expect((await post(key)).status).toBe(status)
      expect(runs()).toBe(2)
    })

    it('records what `shouldRecord` says', async () => {
      const shouldRecord = (response: Response): boolean => response.status === 503
      const { post, runs } = appWith((c) => c.text('down', 503), { shouldRecord })
      const key = freshKey()
      await post(key)
      const replay = await post(key)
      expect(replay.status).toBe(503)
      expect(replay.headers.get('idempotent-replayed')).toBe('true')
      expect(runs()).toBe(1)
    })

    it.each([
      ['any bytes', Uint8Array.from({ length: 512 }, (_, index) => index % 256), 200],
      ['bytes that look like text', new TextEncoder().encode('\u0000"\\ü€😀\r\n'), 200],
      ['no bytes', new Uint8Array(), 200],
      ['no content', null, 204],
      ['the largest body', new Uint8Array(16_384).fill(255), 200],
    ])('replays %s unchanged', async (_, body, status) => {
      const { post } = appWith(() => new Response(body, { status }))
      const key = freshKey()
      const first = await answerOf(await post(key))
      const replay = await answerOf(await post(key))
      expect(replay).toMatchObject({ status, bytes: [...(body ?? [])], replayed: 'true' })
      expect(first.bytes).toEqual(replay.bytes)
    })

    it('collects a streamed body, and replays it', async () => {
      const streamed = (): Response => {
        const parts = ['one ', 'two ', 'three']
        const stream = new ReadableStream<Uint8Array>({
          pull: async (controller) => {
            await new Promise((resolve) => setTimeout(resolve))
            const part = parts.shift()
            if (part === undefined) controller.close()
            else controller.enqueue(new TextEncoder().encode(part))
          },
        })
        return new Response(stream)
      }
      const { post, runs } = appWith(streamed)
      const key = freshKey()
      expect(await (await post(key)).text()).toBe('one two three')
      expect(await (await post(key)).text()).toBe('one two three')
      expect(runs()).toBe(1)
    })

    it('sends a body that is too large once, and never runs its request again', async () => {
      const { post, runs } = appWith((c) => c.body('x'.repeat(20_000)))
      const key = freshKey()
      expect(await (await post(key)).text()).toBe('x'.repeat(20_000))
      const replay = await post(key)
      expect(replay.status).toBe(409)
      expect(replay.headers.get('retry-after')).toBeNull()
      expect(await replay.json()).toMatchObject({ detail: expect.stringContaining('not stored') })
      expect(runs()).toBe(1)
    })

    it('releases a request whose body fails, and records nothing of it', async () => {
      let fails = true
      const { post, runs } = appWith(() => {
        const stream = new ReadableStream<Uint8Array>({
          start: (controller) => {
            controller.enqueue(new TextEncoder().encode('half '))
            if (fails) controller.error(new Error('broken pipe'))
            else controller.close()
          },
        })
        return new Response(stream)
      })
      const key = freshKey()
      expect((await post(key)).status).toBe(500)
      fails = false
      expect(await (await post(key)).text()).toBe('half ')
      expect(runs()).toBe(2)
    })

    it('leaves the body to the handler, also after a middleware has read it', async () => {
      const { post } = appWith(async (c) => c.text(await c.req.text()))
      expect(await (await post(freshKey(), 'payload')).text()).toBe('payload')
    })

    it('takes the same form for the same payload, whatever its boundary', async () => {
      const { post, runs } = appWith(created)
      const form = (text: string): FormData => {
        const data = new FormData()
        data.set('title', text)
        data.set('file', new File([new Uint8Array([0, 255, 10])], 'a.bin', { type: 'image/png' }))
        return data
      }
      const key = freshKey()
      const { bytes } = await answerOf(await post(key, form('a')))
      expect((await answerOf(await post(key, form('a')))).bytes).toEqual(bytes)
      expect((await post(key, form('b'))).status).toBe(422)
      expect(runs()).toBe(1)
    })

    it('rejects a payload over the limit', async () => {
      const { post, runs } = appWith(created, { maxPayload: 10 })
      expect((await post(freshKey(), 'x'.repeat(10))).status).toBe(201)
      expect((await post(freshKey(), 'x'.repeat(11))).status).toBe(413)
      expect(runs()).toBe(1)
    })

    it('gives the handler the lock of the request, and survives that it releases it', async () => {
      let fence = 0
      const { post, runs } = appWith(async (c) => {
        fence = await c.var.lock!.fencingToken()
        await c.var.lock!.release()
        return created(c)
      })
      const key = freshKey()
      const { bytes } = await answerOf(await post(key))
      expect(fence).toBeGreaterThan(0)
      expect((await answerOf(await post(key))).bytes).toEqual(bytes)
      expect(runs()).toBe(1)
    })

    it('replaces statuses and rejections', async () => {
      const seen: RequestRejection[] = []
      const { post } = appWith(created, {
        statuses: { 'missing-key': 428, 'payload-mismatch': 409 },
        onRejected: (rejection) => {
          seen.push(rejection)
          return rejection.reason === 'missing-key'
            ? undefined
            : new Response('no', { status: 418 })
        },
      })
      const key = freshKey()
      await post(key)
      expect((await post(undefined)).status).toBe(428)
      expect((await post(key, 'b')).status).toBe(418)
      expect(seen.map(({ reason, status }) => [reason, status])).toEqual([
        ['missing-key', 428],
        ['payload-mismatch', 409],
      ])
    })

    it('keeps an answer for `recordTtl`', async () => {
      const { post, runs } = appWith(created, { recordTtl: 1000 })
      const key = freshKey()
      await post(key)
      await eventually(async () =>
        expect((await post(key)).headers.get('idempotent-replayed')).toBeNull(),
      )
      expect(runs()).toBe(2)
    })
  })
}
