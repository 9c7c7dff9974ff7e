import { Hono } from 'hono'
import { expect, it, vi } from 'vitest'
import { nodeStates } from '../../src/entries/doctor.ts'
import { lock } from '../../src/entries/hono.ts'
import { idempotent, once } from '../../src/entries/idempotency.ts'
import { inspect, type LockEvent, Redlock, throttle } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { later } from '../support/signals.ts'

// What events say, besides their types.

const open = () => {
  const nodes = memoryNodes(3)
  const events: LockEvent[] = []
  const onEvent = (event: LockEvent): void => void events.push(event)
  return { nodes, events, redlock: new Redlock({ nodes, onEvent }) }
}

it('name what they are about, and who holds the lock, as rivals see it', async () => {
  const { events, redlock } = open()
  const held = await redlock.acquire('k')
  await held.extend()
  const rejected = await redlock.tryAcquire('k')
  await held.release()
  await throttle(redlock, 'k', { window: 5_000 })
  await throttle(redlock, 'k', { window: 5_000 })
  await once(redlock, 'k', { keepFor: 0 }, () => 1)
  const own = events.map((event) => [event.kind, event.type, 'id' in event && event.id])
  expect(own.slice(0, 4)).toEqual([
    ['lock', 'acquired', held.id],
    ['lock', 'extended', held.id],
    ['lock', 'rejected', false],
    ['lock', 'released', held.id],
  ])
  expect(!rejected.ok && rejected.nodes[0]?.holder).toBe(held.id)
  expect(own.slice(4, 6).map(([kind, type]) => [kind, type])).toEqual([
    ['throttle', 'acquired'],
    ['throttle', 'rejected'],
  ])
  expect(events.length).toBeGreaterThan(6)
  for (const { kind, keys } of events.slice(6)) expect([kind, keys]).toEqual(['claim', ['once:k']])
})

it('have whole numbers', async () => {
  const { events, redlock } = open()
  const held = await redlock.acquire('k')
  await new Promise((resolve) => setTimeout(resolve, 2))
  await held.release()
  const numbers = events.flatMap((event) => Object.values(event).filter(Number.isFinite))
  expect(numbers.length).toBeGreaterThan(2)
  for (const number of numbers) expect(Number.isInteger(number)).toBe(true)
})

it('report a node that is down once, and again when it is up', async () => {
  const { nodes, events, redlock } = open()
  const use = async (): Promise<void> => {
    const held = await redlock.acquire('k')
    await held.release()
  }
  await use()
  nodes[1]!.fail()
  await use()
  await use()
  const of = (type: string): LockEvent[] => events.filter((event) => event.type === type)
  await vi.waitFor(() => expect(of('node-down')).toHaveLength(1))
  expect(of('node-down')).toMatchObject([{ node: nodes[1]!.name }])
  expect(of('node-up')).toEqual([])
  expect(nodeStates(redlock)[1]).toMatchObject({ isSlow: false, downFor: expect.any(Number) })
  nodes[1]!.recover()
  await use()
  await vi.waitFor(() => expect(of('node-up')).toHaveLength(1))
  expect(of('node-up')).toMatchObject([{ node: nodes[1]!.name, downFor: expect.any(Number) }])
  expect(of('node-down')).toHaveLength(1)
  expect(nodeStates(redlock)).toEqual(
    nodes.map(({ name: node }) => ({
      node,
      latency: expect.any(Number),
      isSlow: false,
      downFor: undefined,
    })),
  )
})

it('tell how idempotent requests were answered that did not run, by the key that was sent', async () => {
  const { events, redlock } = open()
  const { promise, resolve } = later()
  const app = new Hono().post('/', idempotent({ redlock, scope: () => 'u' }), async (c) => {
    await promise
    return c.text('done')
  })
  const post = (body: string) =>
    app.request('/', { method: 'POST', body, headers: { 'idempotency-key': 'order-7' } })
  const first = post('a')
  await vi.waitFor(() =>
    expect(events).toContainEqual(expect.objectContaining({ type: 'acquired' })),
  )
  expect((await post('a')).status).toBe(409)
  resolve()
  expect((await first).status).toBe(200)
  expect((await post('a')).status).toBe(200)
  expect((await post('b')).status).toBe(422)
  const told = events.filter(({ type }) => /^(in-|rep|pay)/.test(type))
  expect(told.map(({ type }) => type)).toEqual(['in-flight', 'replayed', 'payload-mismatch'])
  for (const { kind, key } of events) expect([kind, key]).toEqual(['claim', 'order-7'])
})

it('a request says what it is to whoever looks for the holder of its lock', async () => {
  const { redlock } = open()
  const look = async (options: object, headers: Record<string, string>): Promise<unknown> => {
    const app = new Hono().get(
      '/orders/:id',
      lock({ redlock, key: 'k', ...options }),
      async (c) => {
        return c.json((await inspect(redlock, 'k')).metadata ?? null)
      },
    )
    return (await app.request('/orders/7?token=secret', { headers })).json()
  }
  expect(await look({}, {})).toBe('GET /orders/7')
  expect(await look({}, { 'cf-ray': '8f1' })).toBe('GET /orders/7 8f1')
  expect(await look({}, { 'x-request-id': 'r'.repeat(500) })).toHaveLength(200)
  expect(await look({ metadata: '' }, {})).toBe(null)
  expect(await look({ metadata: 'worker 3' }, {})).toBe('worker 3')
})
