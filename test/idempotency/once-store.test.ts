import { afterEach, describe, expect, it, vi } from 'vitest'
import { bodyStore, isNotRecordedError, once } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

// Values that are large: on the nodes, in a store, and in a store that fails or is late.

const open = () => {
  const nodes = memoryNodes(3)
  return { nodes, redlock: new Redlock({ nodes, warnings: false }) }
}
/** A text of so many bytes of JSON. */
const textOf = (bytes: number): string => 'x'.repeat(bytes - 2)

const memoryStore = () => {
  const kept = new Map<string, Uint8Array<ArrayBuffer>>()
  const put = vi.fn(
    async (id: string, body: Uint8Array<ArrayBuffer>, _ttl: number) => void kept.set(id, body),
  )
  const store = bodyStore({ put, get: async (id) => kept.get(id) })
  return { kept, put, store }
}

const rejection = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail('it resolved'),
    (error: unknown) => error,
  )

/** Lets virtual time pass until the work is done. */
const soon = async <T>(work: Promise<T>): Promise<T> => {
  const state = { isDone: false }
  void work.then(() => (state.isDone = true))
  while (!state.isDone) {
    await vi.advanceTimersByTimeAsync(100)
    // Hashes are computed in real time.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return work
}

afterEach(() => void vi.useRealTimers())

describe('without a store', () => {
  it('a value may have 32,768 bytes', async () => {
    const { redlock } = open()
    const text = textOf(32_768)
    const run = vi.fn(() => text)
    expect(await once(redlock, 'k', { keepFor: 60_000 }, run)).toBe(text)
    expect(await once(redlock, 'k', { keepFor: 60_000 }, run)).toBe(text)
    expect(run).toHaveBeenCalledTimes(1)
  })

  it.each<[string, () => unknown]>([
    ['one byte more', () => textOf(32_769)],
    ['what JSON cannot express', () => 1n],
  ])('%s is not kept: the run has its value, and nobody runs again', async (_, make) => {
    const { redlock } = open()
    const value = make()
    const run = vi.fn(() => value)
    const own = await rejection(once(redlock, 'k', { keepFor: 60_000 }, run))
    expect(isNotRecordedError(own)).toBe(true)
    expect(own).toMatchObject({ reason: 'not-kept', hasRun: true, value })
    const other = await rejection(once(redlock, 'k', { keepFor: 60_000 }, run))
    expect(other).toMatchObject({ reason: 'not-kept', hasRun: false, value: undefined })
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('a codec that fails, or returns no bytes, is the cause', async () => {
    const { redlock } = open()
    const oh = new Error('oh')
    const failing = { encode: () => Promise.reject(oh), decode: () => 1 }
    const own = await rejection(once(redlock, 'k', { keepFor: 1_000, codec: failing }, () => 1))
    expect(own).toMatchObject({ reason: 'not-kept', value: 1, cause: oh })
    const wrong = { encode: () => 'text' as never, decode: () => 1 }
    const error = await rejection(once(redlock, 'l', { keepFor: 1_000, codec: wrong }, () => 1))
    expect(error).toMatchObject({ reason: 'not-kept', value: 1 })
    expect(String((error as Error).cause)).toMatch(/`codec.encode`/)
  })
})

describe('with a store', () => {
  it('only more than 16,384 bytes go there', async () => {
    const { redlock } = open()
    const { store, kept, put } = memoryStore()
    const options = { keepFor: 60_000, store }
    const [small, large] = [textOf(16_384), textOf(200_000)]
    for (let turn = 0; turn < 2; turn++) {
      expect(await once(redlock, 'small', options, () => small)).toBe(small)
      expect(kept.size).toBe(0)
    }
    const run = vi.fn(() => large)
    for (let turn = 0; turn < 2; turn++) {
      expect(await once(redlock, 'large', options, run)).toBe(large)
      expect(kept.size).toBe(1)
    }
    expect(run).toHaveBeenCalledTimes(1)
    expect(put).toHaveBeenCalledWith(expect.any(String), expect.anything(), 60_000)
  })

  it.each<[string, () => Promise<never>]>([
    ['fails', () => Promise.reject(new Error('overloaded'))],
    ['hangs', () => new Promise(() => {})],
  ])('that %s, the run has its value, and nobody runs again', async (_, put) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] })
    const { redlock } = open()
    const value = textOf(20_000)
    const run = vi.fn(() => value)
    const options = { keepFor: 60_000, store: bodyStore({ put, get: put }) }
    const own = await soon(rejection(once(redlock, 'k', options, run)))
    expect(own).toMatchObject({ reason: 'not-kept', hasRun: true, value })
    const other = await soon(rejection(once(redlock, 'k', options, run)))
    expect(other).toMatchObject({ reason: 'not-kept', hasRun: false })
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('that is late, the run gets its value, and others get it as soon as it is there', async () => {
    const { redlock } = open()
    const { put, kept } = memoryStore()
    let isThere = false
    const late = bodyStore({ put, get: async (id) => (isThere ? kept.get(id) : null) })
    const value = textOf(20_000)
    const run = vi.fn(() => value)
    const options = { keepFor: 60_000, store: late }
    expect(await once(redlock, 'k', options, run)).toBe(value)
    const early = await rejection(once(redlock, 'k', options, run))
    expect(early).toMatchObject({ reason: 'unreadable', hasRun: false, value: undefined })
    isThere = true
    expect(await once(redlock, 'k', options, run)).toBe(value)
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('that returns other bytes, nobody gets them', async () => {
    const { redlock } = open()
    const { put } = memoryStore()
    const liar = bodyStore({ put, get: async () => new Uint8Array(20_000) })
    const options = { keepFor: 60_000, store: liar }
    await once(redlock, 'k', options, () => textOf(20_000))
    const error = await rejection(once(redlock, 'k', options, () => 'again'))
    expect(error).toMatchObject({ reason: 'unreadable', hasRun: false })
  })
})
