import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { gateway, type GatewayOptions } from '../../src/gateway/index.ts'
import { okBackend, spy, token } from './support.ts'

const wrong: [option: string, value: unknown, expected: string][] = [
  ['token', undefined, 'a non-empty string'],
  ['token', '', 'a non-empty string'],
  ['token', 'two words', 'a non-empty string'],
  ['token', 'tökén', 'a non-empty string'],
  ['token', 'a=b', 'a non-empty string'],
  ['token', ['a'], 'a non-empty string'],
  ['send', undefined, 'a function'],
  ['send', {}, 'a function'],
  ['transaction', undefined, 'a function'],
  ['transaction', 'MULTI', 'a function'],
  ['maxBody', 0, 'a whole number of bytes above 0'],
  ['maxBody', -1, 'a whole number of bytes above 0'],
  ['maxBody', 1.5, 'a whole number of bytes above 0'],
  ['maxBody', '1mb', 'a whole number of bytes above 0'],
  ['maxBody', Number.NaN, 'a whole number of bytes above 0'],
  ['maxBody', Number.POSITIVE_INFINITY, 'a whole number of bytes above 0'],
  ['allow', 'GET', 'an array of command names'],
  ['allow', ['GET', 1], 'an array of command names'],
  ['allow', ['SCRIPT LOAD'], 'an array of command names'],
  ['allow', ['get', 'multi'], 'without MULTI, which a gateway never runs'],
  ['allow', ['get', 'subscribe'], 'without SUBSCRIBE, or add `subscribe`'],
  ['subscribe', true, 'a function that subscribes'],
]

test.each(wrong)('rejects %s: %j, and says what is expected', (option, value, expected) => {
  const options = { token, ...okBackend(), [option]: value } as unknown as GatewayOptions
  const act = (): Hono => gateway(options)
  expect(act).toThrow(TypeError)
  expect(act).toThrow(`Expected \`${option}\` of gateway() to be ${expected}`)
})

test('the error does not repeat a wrong token', () => {
  const options = { ...okBackend(), token: 'a secret with blanks' }
  expect(() => gateway(options)).toThrow(expect.not.stringContaining('secret') as string)
})

test('without options, the error names the first one that is missing', () => {
  expect(gateway as unknown as () => Hono).toThrow('Expected `token` of gateway()')
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
