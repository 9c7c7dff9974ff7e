import { once } from 'node:events'
import type { Subscription } from '../../src/gateway/subscription.ts'
import { get, type IncomingMessage } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { gateway } from '../../src/entries/gateway.ts'
import { until } from '../../tools/cli/until.ts'
import { ioredisBackend } from '../../tools/servers/ioredis.ts'
import { openEvents, subscribers, untilSubscribers } from './streams.ts'
import { serveSockets } from '../support/socket-server.ts'
import { closeAfter, okBackend, startGateway, token, useGateway } from './support.ts'

// On a busy machine real servers and streams take their time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const use = useGateway()
const asEvents = { accept: 'text/event-stream' }

afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  await untilSubscribers(use.backend, 0)
})

const rejection = async (response: Response): Promise<[number, unknown]> => [
  response.status,
  ((await response.json()) as { error: unknown }).error,
]

test('a client that vanishes leaves no connection', async () => {
  const { server, backend } = use
  const address = new URL(`${server.url}/subscribe/chat`)
  const headers = { ...asEvents, authorization: `Bearer ${token}` }
  const clients = Array.from({ length: 20 }, () => get(address, { headers }))
  for (const client of clients) client.on('error', () => {})
  await untilSubscribers(backend, 20)
  for (const client of clients) client.socket!.resetAndDestroy()
  await untilSubscribers(backend, 0)
  expect(await server.post('/', ['PUBSUB', 'CHANNELS'])).toEqual([200, { result: [] }])
})

test('100 subscribers all receive 50 messages, in order', async () => {
  const { server, backend } = use
  const all = await Promise.all(
    Array.from({ length: 100 }, () => openEvents(server, '/subscribe/crowd')),
  )
  expect(await subscribers(backend)).toBe(100)
  const messages = Array.from({ length: 50 }, (_, index) => `message ${index}`)
  for (const message of messages) {
    expect(await server.post('/', ['PUBLISH', 'crowd', message])).toEqual([200, { result: 100 }])
  }
  await Promise.all(all.map(({ event }) => event(messages.length)))
  const expected = ['subscribe,crowd,1', ...messages.map((text) => `message,crowd,${text}`)]
  for (const { data } of all) expect(data).toEqual(expected)
  for (const { leave } of all) leave()
})

test('a client that does not read is cut off, and the others miss nothing', async () => {
  const { server, backend } = use
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const headers = { ...asEvents, authorization: `Bearer ${token}` }
  const request = get(`${server.url}/subscribe/flood`, { headers })
  const [stalled] = (await once(request, 'response')) as [IncomingMessage]
  stalled.pause()
  await untilSubscribers(backend, 1)
  const reading = await openEvents(server, '/subscribe/flood')
  await untilSubscribers(backend, 2)

  const message = 'x'.repeat(100_000)
  let sent = 0
  // Buffers of the system take some megabytes before anything waits in the gateway.
  while ((await subscribers(backend)) === 2 && sent < 1000) {
    await backend.send(['PUBLISH', 'flood', message])
    sent += 1
    await reading.event(sent)
  }
  expect(sent).toBeLessThan(1000)
  const broken = once(stalled, 'close').catch((error: NodeJS.ErrnoException) => error.code)
  stalled.resume()
  expect(await broken).toBe('ECONNRESET')
  await backend.send(['PUBLISH', 'flood', 'the end'])
  expect(await reading.event(sent + 1)).toBe('message,flood,the end')
  reading.leave()
})

test('large messages and bursts reach a client that keeps up', async () => {
  const events = await openEvents(use.server, '/subscribe/large')
  const message = 'é'.repeat(4 * 1024 * 1024)
  await use.backend.send(['PUBLISH', 'large', message])
  expect((await events.event(1)).length).toBe('message,large,'.length + message.length)
  const burst = Array.from({ length: 6 }, (_, index) => `${index}`.repeat(1_000_000))
  await Promise.all(burst.map((text) => use.backend.send(['PUBLISH', 'large', text])))
  await events.event(7)
  expect(events.data.slice(2)).toEqual(burst.map((text) => `message,large,${text}`))
  events.leave()
})

test('needs the token and the permission of `allow`', async () => {
  const { server, backend } = use
  const stranger = await server.request('/subscribe/chat', {
    headers: { ...asEvents, authorization: 'Bearer wrong' },
  })
  expect(await rejection(stranger)).toEqual([401, expect.stringContaining('WRONGPASS')])

  const limited = closeAfter(await startGateway({ ...backend, allow: ['subscribe', 'GET'] }))
  const events = await openEvents(limited, '/subscribe/chat')
  expect(await events.event(0)).toBe('subscribe,chat,1')
  events.leave()
  const denied = await limited.request('/psubscribe/chat', { headers: asEvents })
  expect(await rejection(denied)).toEqual([
    400,
    "NOPERM this user has no permissions to run the 'psubscribe' command or its subcommand",
  ])
})

test('a subscription that is no request for a stream is rejected, with the reason', async () => {
  const { server } = use
  const reason = expect.stringMatching(/needs \/p?subscribe\/NAME and Accept: text\/event-stream$/)
  for (const name of ['subscribe', 'PSUBSCRIBE']) {
    expect(await rejection(await server.request(`/${name}/chat`))).toEqual([400, reason])
    const headers = asEvents
    const body = JSON.stringify([name, 'chat'])
    const posted = await server.request('/', { method: 'POST', headers, body })
    expect(await rejection(posted)).toEqual([400, reason])
    const list = `[${body}]`
    const piped = await server.request('/pipeline', { method: 'POST', headers, body: list })
    expect(await piped.json()).toEqual([{ error: reason }])
  }
  const nameless = await server.request('/subscribe', { headers: asEvents })
  expect(await rejection(nameless)).toEqual([
    400,
    "ERR wrong number of arguments for 'subscribe' command",
  ])
  // Hono would discard the stream without ending it.
  const head = await server.request('/subscribe/chat', { method: 'HEAD', headers: asEvents })
  expect(head.status).toBe(400)
  // Other commands are answered as always.
  const got = await server.request('/echo/hello', { headers: asEvents })
  expect([got.status, await got.json()]).toEqual([200, { result: 'hello' }])
})

test('without the option, a request for a stream is rejected', async () => {
  const plain = closeAfter(await startGateway(okBackend()))
  const rejected = await plain.request('/subscribe/chat', { headers: asEvents })
  expect(await rejection(rejected)).toEqual([
    400,
    "ERR Command is not available: 'SUBSCRIBE', since the gateway has no `subscribe` option",
  ])
})

test('a client that leaves while Redis hangs leaves no connection', async () => {
  const { port, connections, stop } = await serveSockets()
  const backend = ioredisBackend({ host: '127.0.0.1', port })
  const server = await startGateway(backend)
  try {
    await until(() => connections() === 1, 30_000)
    const leaving = new AbortController()
    const { signal } = leaving
    const request = server.request('/subscribe/chat', { headers: asEvents, signal })
    await until(() => connections() === 2, 30_000)
    leaving.abort()
    await expect(request).rejects.toThrow('abort')
    await until(() => connections() === 1, 30_000)
  } finally {
    await server.close()
    await backend.close()
    await stop()
  }
})

test('a comment every 15 s keeps the stream alive, until the client leaves', async () => {
  vi.useFakeTimers()
  let subscription: Subscription | undefined
  const app = gateway({
    ...okBackend(),
    token,
    subscribe: async (wanted) => void (subscription = wanted),
  })
  const headers = { ...asEvents, authorization: `Bearer ${token}` }
  const response = await app.request('/subscribe/chat', { headers })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader.read()).value).toBe('data: subscribe,chat,1\n\n')
  vi.advanceTimersByTime(15_000)
  expect((await reader.read()).value).toBe(':\n\n')
  expect(vi.getTimerCount()).toBe(1)
  expect(subscription!.signal.aborted).toBe(false)
  await reader.cancel()
  expect(subscription!.signal.aborted).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
  // A late message or end does no harm.
  subscription!.onMessage('late', 'chat')
  subscription!.onEnd()
})

test('a message that arrives before the confirmation has settled comes after it', async () => {
  const app = gateway({
    ...okBackend(),
    token,
    subscribe: async ({ onMessage, onEnd }) => {
      onMessage('first', 'a')
      await Promise.resolve()
      onMessage('second', 'b')
      setTimeout(onEnd)
    },
  })
  const headers = { ...asEvents, authorization: `Bearer ${token}` }
  const response = await app.request('/subscribe/a/b', { headers })
  const events = ['subscribe,a,1', 'subscribe,b,2', 'message,a,first', 'message,b,second']
  expect(await response.text()).toBe(
    [...events, 'unsubscribe,a,1', 'unsubscribe,b,0'].map((data) => `data: ${data}\n\n`).join(''),
  )
})

test('a client that has disconnected before makes no subscription', async () => {
  const subscribe = vi.fn<(subscription: Subscription) => Promise<void>>(async () => {})
  const handler = gateway({
    token,
    send: async () => null,
    transaction: async () => null,
    subscribe,
  })
  const controller = new AbortController()
  controller.abort()
  const request = new Request('http://gateway/subscribe/news', {
    method: 'POST',
    headers: { ...asEvents, authorization: `Bearer ${token}` },
    signal: controller.signal,
  })
  await Promise.resolve(handler.fetch(request)).catch(() => {})
  expect(subscribe).not.toHaveBeenCalled()
})
