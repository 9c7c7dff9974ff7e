import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { gateway } from '../../src/entries/gateway.ts'
import { spy, token } from './support.ts'

test('without options, the error names the first one that is missing', () => {
  expect(gateway as unknown as () => Hono).toThrow('`token` of gateway() must be')
})

test.each(['abc', 'AZaz09-._~+/', 'AYNgAS2553feg6a2d9842h2a0gcdb5f8efe9934DQ=='])(
  'a token %s can be presented',
  async (good) => {
    const { commands, ...backend } = spy()
    const response = await gateway({ ...backend, token: good }).request('/ping', {
      headers: { authorization: `Bearer ${good}` },
    })
    expect(response.status).toBe(200)
    expect(commands).toEqual([['PING']])
  },
)

test('a gateway works below the path of another Hono app', async () => {
  const { commands, ...backend } = spy()
  const app = new Hono()
    .route('/redis', gateway({ ...backend, token }))
    .route('/:tenant/db', gateway({ ...backend, token }))
  const headers = { authorization: `Bearer ${token}` }
  const post = (path: string, body: string): Response | Promise<Response> =>
    app.request(path, { method: 'POST', headers, body })

  await post('/redis', '["ONE"]')
  await post('/redis/pipeline', '[["TWO"]]')
  await post('/redis/multi-exec', '[["THREE"]]')
  await app.request('/redis/get/key', { headers })
  await app.request('/acme/db/get/key', { headers })
  expect(commands).toEqual([['ONE'], ['TWO'], ['THREE'], ['GET', 'key'], ['GET', 'key']])

  const stranger = await app.request('/redis/get/key', { headers: { authorization: 'Bearer' } })
  expect([stranger.status, await stranger.json()]).toEqual([
    401,
    { error: 'WRONGPASS invalid or missing auth token' },
  ])
  expect((await post('/redis', 'not json')).status).toBe(400)
  expect((await app.request('/elsewhere', { headers })).status).toBe(404)
})
