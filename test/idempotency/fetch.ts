import { describe, expect, it } from 'vitest'
import { withIdempotency } from '../../src/entries/idempotency.ts'
import { Redlock, type RestNodeOptions } from '../../src/index.ts'
import { freshKey } from '../support/nodes.ts'

type Event = { readonly headers: Record<string, string> } & Record<string, unknown>

/** The tests of `withIdempotency()` with real Redis servers, for every runtime. */
export const functions = (name: string, nodes: readonly RestNodeOptions[]): void => {
  const redlock = new Redlock({ nodes })
  const scope = (): string => 'user-1'

  describe(`${name}: withIdempotency`, () => {
    it('answers a request once, and passes the platform arguments and the lock on', async () => {
      const seen: unknown[] = []
      const handle = withIdempotency(
        {
          redlock: (_request, env: { redlock: Redlock }, _ctx: { name: string }) => env.redlock,
          scope,
        },
        async (request, env, ctx, lock) => {
          seen.push(await request.text(), env.redlock, ctx.name, await lock!.fencingToken())
          return new Response('done', { status: 201, headers: { location: '/1' } })
        },
      )
      const key = freshKey()
      const send = (): Promise<Response> => {
        const init = { method: 'POST', body: 'payload', headers: { 'idempotency-key': key } }
        return handle(new Request('https://example.com/a?b=1', init), { redlock }, { name: 'ctx' })
      }
      const [first, replay] = [await send(), await send()]
      expect([first.status, await first.text()]).toEqual([201, 'done'])
      expect([replay.status, await replay.text()]).toEqual([201, 'done'])
      expect(replay.headers.get('location')).toBe('/1')
      expect(replay.headers.get('idempotent-replayed')).toBe('true')
      expect(seen).toEqual(['payload', redlock, 'ctx', expect.any(Number)])
    })

    const base = { headers: {}, body: '{"a":1}' }
    it.each<[string, (key: string) => Event]>([
      [
        'an HTTP API',
        (key) => ({
          ...base,
          version: '2.0',
          rawPath: '/orders',
          rawQueryString: 'a=1',
          headers: { 'idempotency-key': key },
          requestContext: { http: { method: 'POST' } },
        }),
      ],
      [
        'a REST API',
        (key) => ({
          ...base,
          httpMethod: 'POST',
          path: '/orders',
          headers: { 'Idempotency-Key': key },
          multiValueHeaders: { 'Idempotency-Key': [key] },
          requestContext: {},
        }),
      ],
      [
        'a load balancer',
        (key) => ({
          ...base,
          httpMethod: 'POST',
          path: '/orders',
          headers: { 'idempotency-key': key },
          requestContext: { elb: {} },
        }),
      ],
    ])('answers an event of %s once', async (_, eventOf) => {
      let runs = 0
      const handle = withIdempotency({ redlock, scope }, async (_event: Event) => {
        runs++
        return {
          statusCode: 201,
          headers: { 'Content-Type': 'application/octet-stream', 'Set-Cookie': 'a=1' },
          body: btoa('\u00ff\u0000\u00fe'),
          isBase64Encoded: true,
        }
      })
      const key = freshKey()
      const first = await handle(eventOf(key))
      expect(first.headers['Set-Cookie']).toBe('a=1')
      const replay = (await handle(eventOf(key))) as unknown as Record<string, unknown>
      expect(replay).toMatchObject({ statusCode: 201, body: first.body, isBase64Encoded: true })
      const headers = JSON.stringify([replay.headers, replay.multiValueHeaders])
      expect(headers).toContain('application/octet-stream')
      expect(headers).toContain('idempotent-replayed')
      expect(headers).not.toMatch(/set-cookie/i)
      const other = (await handle({ ...eventOf(key), body: 'b' })) as unknown
      expect(other).toMatchObject({ statusCode: 422 })
      expect(runs).toBe(1)
    })

    it('records a plain result as JSON, and not one with a status of 500', async () => {
      let runs = 0
      let result: unknown = { statusCode: 500, body: 'down' }
      const handle = withIdempotency({ redlock, scope }, async (_event: Event) => {
        runs++
        return result
      })
      const event = {
        rawPath: '/orders',
        headers: { 'idempotency-key': freshKey() },
        requestContext: { http: { method: 'POST' } },
      }
      expect(await handle(event)).toMatchObject({ statusCode: 500 })
      result = { answer: 42 }
      expect(await handle(event)).toEqual({ answer: 42 })
      expect(await handle(event)).toMatchObject({ statusCode: 200, body: '{"answer":42}' })
      expect(runs).toBe(2)
    })

    it('rejects two keys of one event, and an event that is no request', async () => {
      const handle = withIdempotency({ redlock, scope }, async (_event: Event) => ({ body: '' }))
      const event = {
        httpMethod: 'POST',
        path: '/orders',
        headers: { 'idempotency-key': 'b' },
        multiValueHeaders: { 'idempotency-key': ['a', 'b'] },
      }
      expect(await handle(event)).toMatchObject({ statusCode: 400 })
      const records = { Records: [], headers: {} }
      await expect(handle(records)).rejects.toThrow(/pass `event.request`/)
    })

    it('passes a request through nested functions once', async () => {
      let runs = 0
      const options = { redlock, scope }
      const handle = withIdempotency(
        options,
        withIdempotency(options, () => new Response(String(++runs))),
      )
      const key = freshKey()
      const send = (): Promise<Response> =>
        handle(
          new Request('https://example.com/', {
            method: 'POST',
            headers: { 'idempotency-key': key },
          }),
        )
      expect(await (await send()).text()).toBe('1')
      expect(await (await send()).text()).toBe('1')
    })
  })
}
