import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { expect, test } from 'vitest'
import { gateway } from '../../src/entries/gateway.ts'
import { okBackend, token } from './support.ts'

// The recipe of docs/guides/gateway.md: `cors` before the gateway answers the preflight of a browser, which
// carries no token.

const origin = 'https://app.example.com'
const app = new Hono()
  .use(cors({ origin, exposeHeaders: ['upstash-sync-token'] }))
  .route('/', gateway({ ...okBackend(), token }))

/** A browser's preflight request, before `@upstash/redis` may send its headers. */
const preflight = (from: string): Response | Promise<Response> =>
  app.request('/pipeline', {
    method: 'OPTIONS',
    headers: {
      origin: from,
      'access-control-request-method': 'POST',
      'access-control-request-headers':
        'authorization,content-type,upstash-encoding,upstash-sync-token,upstash-telemetry-sdk',
    },
  })

test('a browser of the origin may send the headers of the client and read the sync token', async () => {
  const asked = await preflight(origin)
  expect(asked.status).toBe(204)
  expect(asked.headers.get('access-control-allow-origin')).toBe(origin)
  expect(asked.headers.get('access-control-allow-methods')).toContain('POST')
  const allowed = asked.headers.get('access-control-allow-headers')!.split(/,\s*/)
  expect(allowed).toEqual(
    expect.arrayContaining(['authorization', 'upstash-encoding', 'upstash-sync-token']),
  )
  const headers = { origin, authorization: `Bearer ${token}` }
  const sent = await app.request('/', { method: 'POST', headers, body: '["PING"]' })
  expect([sent.status, await sent.json()]).toEqual([200, { result: 'OK' }])
  expect(sent.headers.get('access-control-allow-origin')).toBe(origin)
  expect(sent.headers.get('access-control-expose-headers')).toBe('upstash-sync-token')
})

test('another origin is not allowed, and a wrong token is still 401', async () => {
  const asked = await preflight('https://evil.example')
  expect(asked.headers.get('access-control-allow-origin')).toBeNull()
  const headers = { origin, authorization: 'Bearer wrong' }
  const sent = await app.request('/', { method: 'POST', headers, body: '["PING"]' })
  expect(sent.status).toBe(401)
  // The browser may read why.
  expect(sent.headers.get('access-control-allow-origin')).toBe(origin)
})

test('without the recipe, a preflight is 401', async () => {
  const response = await gateway({ ...okBackend(), token }).request('/', { method: 'OPTIONS' })
  expect(response.status).toBe(401)
})

test('headers that middleware before the gateway sets are on its responses', async () => {
  const named = new Hono()
    .use(async (c, next) => {
      c.header('x-request-id', '7')
      await next()
    })
    .route('/', gateway({ ...okBackend(), token }))
  const headers = { authorization: `Bearer ${token}` }
  const sent = await named.request('/', { method: 'POST', headers, body: '["PING"]' })
  expect([sent.status, sent.headers.get('x-request-id')]).toEqual([200, '7'])
  expect(sent.headers.get('cache-control')).toBe('no-store')
})
