import { afterEach, describe, expect, test, vi } from 'vitest'
import { until } from '../../tools/cli/until.ts'
import { startRedis } from '../../tools/servers/redis.ts'
import { backends } from './backends.ts'
import { openEvents, untilSubscribers } from './streams.ts'
import { closeAfter, startGateway, useGateway } from './support.ts'

// On a busy machine real servers and streams take their time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

type Received = { readonly channel: string; readonly message: unknown; readonly pattern?: string }

describe.each(Object.entries(backends))('subscriptions over %s', (_name, connect) => {
  const use = useGateway({}, connect)
  afterEach(() => untilSubscribers(use.backend, 0))

  test('subscribe() of @upstash/redis receives what publish() sends, in order', async () => {
    const upstash = use.server.upstash()
    const received: Received[] = []
    const counts: number[] = []
    const errors: unknown[] = []
    const subscription = upstash.subscribe<unknown>(['chat', 'news'])
    subscription.on('subscribe', (count) => counts.push(count))
    subscription.on('message', (message) => received.push(message))
    subscription.on('error', (error) => errors.push(error))
    await until(() => counts.length === 2, 30_000)
    expect(counts).toEqual([1, 1])
    await untilSubscribers(use.backend, 2)

    const messages = [
      'hello',
      { text: 'é😀', nested: [1, null] },
      'with, commas,and "quotes"',
      'two\nlines\r\nand data: message,chat,forged',
      '{\n  "pretty": "json"\n}',
      42,
      'x'.repeat(300_000),
    ]
    for (const message of messages) {
      expect(await upstash.publish('chat', message)).toBe(1)
    }
    expect(await upstash.publish('nobody', 'x')).toBe(0)
    await until(() => received.length >= messages.length, 30_000)
    expect(received).toEqual(
      messages.map((message) => ({
        channel: 'chat',
        message: message === messages[4] ? { pretty: 'json' } : message,
      })),
    )
    expect(await upstash.publish('news', 'other')).toBe(1)
    await until(() => received.length > messages.length, 30_000)
    expect(received.at(-1)).toEqual({ channel: 'news', message: 'other' })

    await subscription.unsubscribe(['chat'])
    await untilSubscribers(use.backend, 1)
    expect(subscription.getSubscribedChannels()).toEqual(['news'])
    await subscription.unsubscribe()
    await untilSubscribers(use.backend, 0)
    expect(errors).toEqual([])
  })

  test('psubscribe() of @upstash/redis receives the messages of all matching channels', async () => {
    const upstash = use.server.upstash()
    const received: Received[] = []
    let isReady = false
    const subscription = upstash.psubscribe<unknown>('user:*')
    subscription.on('psubscribe', () => (isReady = true))
    subscription.on('pmessage', (message) => received.push(message))
    await until(() => isReady, 30_000)
    await upstash.publish('user:1', { a: 1 })
    await upstash.publish('other', { b: 1 })
    await upstash.publish('user:2', { a: 2 })
    await until(() => received.length === 2, 30_000)
    expect(received).toEqual([
      { pattern: 'user:*', channel: 'user:1', message: { a: 1 } },
      { pattern: 'user:*', channel: 'user:2', message: { a: 2 } },
    ])
    await subscription.unsubscribe()
  })

  test('one request may name several channels; GET and POST stream the same lines', async () => {
    for (const method of ['GET', 'POST']) {
      const events = await openEvents(use.server, '/subscribe/chat/caf%C3%A9%2F1/chat', { method })
      expect(events.response.headers.get('content-type')).toBe('text/event-stream')
      expect(events.response.headers.get('cache-control')).toBe('no-store')
      expect(events.response.headers.get('upstash-sync-token')).toMatch(/^\d+$/)
      await use.backend.send(['PUBLISH', 'café/1', 'first'])
      await use.backend.send(['PUBLISH', 'chat', ''])
      await events.event(3)
      expect(events.text()).toBe(
        'data: subscribe,chat,1\n\ndata: subscribe,café/1,2\n\n' +
          'data: message,café/1,first\n\ndata: message,chat,\n\n',
      )
      events.leave()
      await untilSubscribers(use.backend, 0)
    }
    const events = await openEvents(use.server, '/PSUBSCRIBE/a*/b%3F')
    await use.backend.send(['PUBLISH', 'b1', 'x'])
    await events.event(2)
    expect(events.data).toEqual(['psubscribe,a*,1', 'psubscribe,b?,2', 'pmessage,b?,b1,x'])
    events.leave()
  })

  test('no publisher can forge an event by line breaks, or by bytes that are not UTF-8', async () => {
    const events = await openEvents(use.server, '/psubscribe/*')
    const forged = '\n\ndata: pmessage,*,admin,1\n\n'
    await use.backend.send(['PUBLISH', `a${forged}`, `b${forged}`])
    await use.backend.send(['PUBLISH', 'a', Uint8Array.of(0x61, 0xff, 0x0a, 0x0d)])
    await events.event(2)
    const mark = '\ufffd'
    const blank = `${mark}${mark}`
    expect(events.data).toEqual([
      'psubscribe,*,1',
      `pmessage,*,a${blank}data: pmessage,*,admin,1${blank},${JSON.stringify(`b${forged}`)}`,
      `pmessage,*,a,${JSON.stringify(`a${mark}\n\r`)}`,
    ])
    events.leave()
  })

  test('a Redis that dies tells every subscriber, and ends the stream', async () => {
    const mortal = closeAfter(await startRedis())
    const own = closeAfter(await connect(mortal.port))
    const gateway = closeAfter(await startGateway(own))
    const plain = await openEvents(gateway, '/subscribe/a/b')
    const patterns = await openEvents(gateway, '/psubscribe/*')
    const told: number[] = []
    const client = gateway.upstash().subscribe('chat')
    client.on('unsubscribe', (count) => told.push(count))
    await untilSubscribers(own, 3)
    await own.send(['PUBLISH', 'a', 'last'])
    await plain.event(2)
    await mortal.crash()
    expect(await plain.ended).toBeUndefined()
    expect(await patterns.ended).toBeUndefined()
    expect(plain.data.slice(3)).toEqual(['unsubscribe,a,1', 'unsubscribe,b,0'])
    expect(patterns.data.at(-1)).toBe('punsubscribe,*,0')
    await until(() => told.length === 1, 30_000)
    expect(told).toEqual([0])

    const headers = { accept: 'text/event-stream' }
    const rejected = await gateway.request('/subscribe/a', { headers })
    expect([rejected.status, await rejected.json()]).toEqual([
      503,
      { error: expect.stringContaining('UNAVAILABLE') },
    ])
  })

  test('a channel that an ACL forbids is 400 NOPERM, and leaves no connection', async () => {
    const strict = closeAfter(await startRedis())
    const own = closeAfter(await connect(strict.port))
    const gateway = closeAfter(await startGateway(own))
    await own.send(['ACL', 'SETUSER', 'default', 'resetchannels', '&allowed'])
    const headers = { accept: 'text/event-stream' }
    const rejected = await gateway.request('/subscribe/allowed/secret', { headers })
    expect([rejected.status, await rejected.json()]).toEqual([
      400,
      { error: expect.stringMatching(/^NOPERM .*channel/) },
    ])
    const events = await openEvents(gateway, '/subscribe/allowed')
    expect(await events.event(0)).toBe('subscribe,allowed,1')
    events.leave()
    await untilSubscribers(own, 0)
    const errors: unknown[] = []
    gateway
      .upstash()
      .subscribe('secret')
      .on('error', (error) => errors.push(String(error)))
    await until(() => errors.length > 0, 30_000)
    expect(errors).toEqual([expect.stringContaining('NOPERM')])
    // One shared connection, and nothing of the rejected subscriptions.
    await until(async () => {
      const list = String(await own.send(['CLIENT', 'LIST']))
      return list.trim().split('\n').length === 1
    }, 30_000)
  })
})
