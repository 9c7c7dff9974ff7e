import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  bodyStore,
  type Codec,
  forget,
  isNotRecordedError,
  once,
} from '../../src/entries/idempotency.ts'
import { isQuorumError, type Lock, Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { later } from '../support/signals.ts'
import { done, far } from '../support/virtual-calls.ts'

// What a stranger broke `once` with. Time is virtual.

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const rejection = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => expect.fail(`it resolved to ${String(value)}`),
    (error: unknown) => error,
  )

it('a run that has lost its key does not record over forget', async () => {
  const nodes = memoryNodes(3)
  const [one, other] = [new Redlock({ nodes }), new Redlock({ nodes })]
  const { promise, resolve } = later()
  let lock: Lock | undefined
  const slow = async (own: Lock): Promise<string> => {
    lock = own
    await promise
    return 'old'
  }
  const stale = rejection(once(one, 'k', { keepFor: 60_000, maxHold: 1_000 }, slow))
  await vi.advanceTimersByTimeAsync(2_000)
  expect(lock?.held).toBe(false)
  expect(await done(forget(other, 'k'))).toBe(true)
  await vi.advanceTimersByTimeAsync(1_000)
  resolve()
  const error = await done(stale)
  expect(isNotRecordedError(error) && [error.reason, error.value]).toEqual(['lost', 'old'])
  expect(await done(once(other, 'k', { keepFor: 60_000 }, () => 'new'))).toBe('new')
  expect(await done(once(one, 'k', { keepFor: 60_000 }, () => 'newer'))).toBe('new')
})

it('a run that has lost its key does not record over a later run whose value has ended', async () => {
  const nodes = memoryNodes(3)
  const [one, other] = [new Redlock({ nodes }), new Redlock({ nodes })]
  const { promise, resolve } = later()
  const slow = async (): Promise<string> => promise.then(() => 'old')
  const stale = rejection(once(one, 'k', { keepFor: 60_000, maxHold: 1_000 }, slow))
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await done(once(other, 'k', { keepFor: 1_000 }, () => 'later'))).toBe('later')
  await vi.advanceTimersByTimeAsync(2_000)
  resolve()
  expect(await done(stale)).toMatchObject({ reason: 'lost' })
  expect(await done(once(other, 'k', { keepFor: 1_000 }, () => 'new'))).toBe('new')
})

it('a run that nobody has overtaken records its value, though it has lost its key', async () => {
  const nodes = memoryNodes(3)
  const redlock = new Redlock({ nodes })
  const { promise, resolve } = later()
  const slow = async (): Promise<string> => promise.then(() => 'late')
  const running = once(redlock, 'k', { keepFor: 60_000, maxHold: 1_000 }, slow)
  await vi.advanceTimersByTimeAsync(2_000)
  resolve()
  expect(await done(running)).toBe('late')
  expect(await done(once(redlock, 'k', { keepFor: 60_000 }, () => 'new'))).toBe('late')
})

it.each([300, 600])('with nodes %i ms away, values are kept and given up', async (roundTrip) => {
  const redlock = new Redlock({ nodes: far(memoryNodes(3), () => roundTrip / 2), warnings: false })
  for (const keepFor of [0, 1_000, 60_000]) {
    expect(await done(once(redlock, `k${keepFor}`, { keepFor }, () => keepFor))).toBe(keepFor)
  }
  expect(await done(forget(redlock, 'k60000'))).toBe(true)
})

it('an outage with a value on the nodes is a QuorumError', async () => {
  const nodes = memoryNodes(3)
  const redlock = new Redlock({ nodes, warnings: false })
  await done(once(redlock, 'k', { keepFor: 60_000 }, () => 1))
  nodes[1]!.fail()
  nodes[2]!.fail()
  const error = await done(rejection(once(redlock, 'k', { keepFor: 60_000, wait: 500 }, () => 2)))
  expect(isQuorumError(error)).toBe(true)
})

it('a codec may use one buffer for all values, and a store may change what it gets', async () => {
  const scratch = new Uint8Array(20_000)
  const codec: Codec<string> = {
    encode: (text) => {
      scratch.fill(text.charCodeAt(0))
      return scratch
    },
    decode: (bytes) => String.fromCharCode(bytes[0]!),
  }
  const kept = new Map<string, Uint8Array<ArrayBuffer>>()
  const store = bodyStore({
    put: async (id: string, body: Uint8Array<ArrayBuffer>) => {
      kept.set(id, body.slice())
      body.fill(0)
    },
    get: async (id: string) => kept.get(id),
  })
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  vi.useRealTimers()
  const options = { keepFor: 60_000, codec, store }
  const call = (key: string) => once(redlock, key, options, () => key)
  const keys = ['a', 'b', 'c']
  expect(await Promise.all(keys.map(call))).toEqual(keys)
  expect(await Promise.all(keys.map(call))).toEqual(keys)
})

it('keys that are too long are rejected alike', async () => {
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  const key = 'k'.repeat(4_095)
  const run = vi.fn<() => number>()
  await expect(once(redlock, key, { keepFor: 0 }, run)).rejects.toThrow('`key`')
  await expect(forget(redlock, key)).rejects.toThrow('`key`')
})
