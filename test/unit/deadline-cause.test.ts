import { expect, it } from 'vitest'
import {
  type AcquireOptions,
  isLockedError,
  isQuorumError,
  Redlock,
  withSlots,
} from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { eventually } from '../support/eventually.ts'
import { freshKey } from '../options/call.ts'

// A deadline of the caller must not hide who holds the lock.

const nodes = memoryNodes(3)
const redlock = new Redlock({ nodes, warnings: false })
const patient = { attempts: Infinity }

type Ended = DOMException & { readonly cause?: unknown }

const ended = (call: Promise<unknown>): Promise<Ended> =>
  call.then(
    () => expect.fail('It was acquired'),
    (reason: Ended) => reason,
  )

const soon = (): AcquireOptions => ({ signal: AbortSignal.timeout(200), retry: patient })

it.each<[string, (key: string, options: AcquireOptions) => Promise<unknown>]>([
  ['acquire', (key, options) => redlock.acquire(key, options)],
  ['acquire with a wait', (key, options) => redlock.acquire(key, { ...options, wait: 60_000 })],
  ['using', (key, options) => redlock.using(key, options, () => {})],
  [
    'a call behind another one',
    (key, options) => {
      void redlock.acquire(key, options).catch(() => {})
      return redlock.acquire(key, options)
    },
  ],
  [
    'without the queue',
    (key, options) =>
      new Redlock({ nodes, localQueue: false, warnings: false }).acquire(key, options),
  ],
])('%s: the TimeoutError has a LockedError as its cause', async (_, call) => {
  const key = freshKey()
  const lock = await redlock.acquire(key, { ttl: 60_000, metadata: 'of Ann' })
  const error = await ended(call(key, soon()))
  expect(error).toBeInstanceOf(DOMException)
  expect(error.name).toBe('TimeoutError')
  expect(isLockedError(error.cause)).toBe(true)
  expect(error.cause).toMatchObject({ keys: [key], metadata: 'of Ann', holder: lock.id })
  await lock.release()
})

it('a slot: the cause is a LockedError', async () => {
  const slots = withSlots(redlock)
  const key = freshKey()
  for (let taken = 0; taken < 2; taken++) await slots.acquire(key, { ttl: 60_000, limit: 2 })
  const { cause } = await ended(slots.acquire(key, { ...soon(), limit: 2 }))
  expect(cause).toMatchObject({ name: 'LockedError', keys: [key] })
})

it('one signal of two calls tells each of its own lock', async () => {
  const keys = [freshKey(), freshKey()]
  for (const key of keys) await redlock.acquire(key, { ttl: 60_000 })
  const options = soon()
  const errors = await Promise.all(keys.map((key) => ended(redlock.acquire(key, options))))
  expect(errors.map(({ cause }) => (cause as { keys: string[] }).keys)).toEqual(
    keys.map((key) => [key]),
  )
  expect(options.signal!.reason).not.toHaveProperty('cause')
})

it('the cause of an outage is a QuorumError', async () => {
  const away = memoryNodes(3)
  const client = new Redlock({ nodes: away, warnings: false })
  for (const node of away) node.fail()
  const { name, cause } = await ended(client.acquire(freshKey(), soon()))
  expect([name, isQuorumError(cause)]).toEqual(['TimeoutError', true])
})

it.each<[string, unknown]>([
  ['an Error of the caller', new Error('mine')],
  ['no error', 'stop'],
  ['an AbortError', undefined],
])('%s is thrown unchanged', async (_, reason) => {
  const key = freshKey()
  await redlock.acquire(key, { ttl: 60_000 })
  const controller = new AbortController()
  const { signal } = controller
  const call = ended(redlock.acquire(key, { signal, retry: patient }))
  await eventually(() => expect(nodes[0]!.entries.size).toBeGreaterThan(0))
  controller.abort(reason)
  expect(await call).toBe(signal.reason)
})

it('a deadline before any answer is thrown unchanged', async () => {
  const signal = AbortSignal.timeout(1)
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  expect(await ended(redlock.acquire(freshKey(), { signal }))).toBe(signal.reason)
})
