import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  bodyStore,
  isNotRecordedError,
  once,
  type OnceOptions,
} from '../../src/entries/idempotency.ts'
import {
  isLockedError,
  isQuorumError,
  type Lock,
  type LockEvent,
  type LockNode,
  Redlock,
} from '../../src/index.ts'
import { type MemoryNode, memoryNodes } from '../../src/entries/testing.ts'
import { later } from '../support/signals.ts'
import { done } from '../support/virtual-calls.ts'

// `failOpen` of `once`: the work is done even if the nodes are unavailable. Time is virtual.

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const options = { keepFor: 60_000, wait: 0, failOpen: true }

const clientOf = (nodes: readonly MemoryNode[], events: LockEvent[] = []): Redlock =>
  new Redlock({ nodes, onEvent: (event) => events.push(event) })

const failMajority = ([one, two]: readonly MemoryNode[]): void =>
  [one!, two!].forEach((node) => node.fail())

const outcome = (work: Promise<unknown>): Promise<unknown> =>
  done(work).catch((error: unknown) => error)

it.each<[string, (node: MemoryNode) => void]>([
  ['fail', (node) => node.fail()],
  ['hang', (node) => node.hang()],
])('runs without a lock while most nodes %s, and stores nothing', async (_, harm) => {
  const nodes = memoryNodes(3)
  const events: LockEvent[] = []
  const locks: (Lock | undefined)[] = []
  const redlock = clientOf(nodes, events)
  nodes.slice(1).forEach(harm)
  const refresh = (value: string) => (lock: Lock | undefined) => {
    locks.push(lock)
    return value
  }
  expect(await done(once(redlock, 'token', options, refresh('first')))).toBe('first')
  expect(await done(once(redlock, 'token', options, refresh('second')))).toBe('second')
  expect(locks).toEqual([undefined, undefined])
  const told = events.filter(({ type }) => type === 'failed-open')
  expect(told).toHaveLength(2)
  expect(told[0]).toMatchObject({ kind: 'claim', keys: ['once:token'], reason: 'unavailable' })
  expect(events.map(({ type }) => type)).not.toContain('rejected')
  for (const node of nodes) node.recover()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(await done(once(redlock, 'token', options, refresh('third')))).toBe('third')
  expect(locks[2]?.keys).toEqual(['once:token'])
  expect(await done(once(redlock, 'token', options, refresh('fourth')))).toBe('third')
})

it.each([undefined, false])('is off by default: failOpen %s', async (failOpen) => {
  const nodes = memoryNodes(3)
  failMajority(nodes)
  const run = vi.fn<() => number>()
  const error = await outcome(once(clientOf(nodes), 'k', { ...options, failOpen }, run))
  expect(isQuorumError(error)).toBe(true)
  expect(run).not.toHaveBeenCalled()
})

it('tries for `wait` first, in case the outage ends', async () => {
  const nodes = memoryNodes(3)
  failMajority(nodes)
  const redlock = clientOf(nodes)
  const opened = once(redlock, 'k', { ...options, wait: 5_000 }, (lock) => lock?.held)
  await vi.advanceTimersByTimeAsync(1_000)
  for (const node of nodes) node.recover()
  expect(await done(opened)).toBe(true)
})

it('never runs beside another run', async () => {
  const nodes = memoryNodes(3)
  const { promise, resolve } = later()
  const events: LockEvent[] = []
  const first = once(clientOf(nodes), 'k', options, async () => promise.then(() => 'first'))
  await vi.advanceTimersByTimeAsync(1)
  const run = vi.fn<() => string>()
  const error = await outcome(once(clientOf(nodes, events), 'k', options, run))
  expect(isLockedError(error)).toBe(true)
  expect(run).not.toHaveBeenCalled()
  expect(events.map(({ type }) => type)).not.toContain('failed-open')
  resolve()
  expect(await done(first)).toBe('first')
})

it('never runs beside a run that one node names while the others hang', async () => {
  const nodes = memoryNodes(3)
  const { promise, resolve } = later()
  const events: LockEvent[] = []
  const redlock = clientOf(nodes, events)
  const first = once(redlock, 'k', { ...options, ttl: 60_000 }, async () =>
    promise.then(() => 'first'),
  )
  await vi.advanceTimersByTimeAsync(1)
  for (const node of nodes.slice(1)) node.hang()
  const run = vi.fn<() => string>()
  for (const client of [redlock, clientOf(nodes, events)]) {
    for (const wait of [0, 100, 5_000]) {
      const error = await outcome(once(client, 'k', { ...options, wait }, run))
      expect(isLockedError(error)).toBe(true)
    }
  }
  expect(run).not.toHaveBeenCalled()
  expect(events.map(({ type }) => type)).not.toContain('failed-open')
  for (const node of nodes) node.recover()
  resolve()
  expect(await done(first)).toBe('first')
})

it('never runs only because its `wait` is short, also in a queue', async () => {
  const nodes = memoryNodes(3)
  for (const node of nodes) node.delay(120)
  const events: LockEvent[] = []
  const redlock = clientOf(nodes, events)
  const { promise, resolve } = later()
  const run = vi.fn<() => Promise<string>>(() => promise.then(() => 'value'))
  const first = once(redlock, 'k', { ...options, wait: 5_000 }, run)
  const others = [redlock, clientOf(nodes, events)].flatMap((client) =>
    [20, 100, 130, 200, 300].map((wait) => once(client, 'k', { ...options, wait }, run)),
  )
  const errors = await Promise.all(others.map(outcome))
  expect(errors.map(isLockedError)).toEqual(others.map(() => true))
  expect(run).toHaveBeenCalledTimes(1)
  expect(events.map(({ type }) => type)).not.toContain('failed-open')
  resolve()
  expect(await done(first)).toBe('value')
})

it('runs for all callers of a queue while most nodes hang for longer than their timeout', async () => {
  const nodes = memoryNodes(3)
  for (const node of nodes.slice(1)) node.hang()
  const redlock = clientOf(nodes)
  const run = vi.fn<() => string>(() => 'value')
  const calls = [3_000, 3_000, 4_000].map((wait) => once(redlock, 'k', { ...options, wait }, run))
  expect(await Promise.all(calls.map(outcome))).toEqual(['value', 'value', 'value'])
  expect(run).toHaveBeenCalledTimes(3)
})

it('runs if nodes fail before the value that one of them shows is settled', async () => {
  const nodes = memoryNodes(3)
  const events: LockEvent[] = []
  expect(await done(once(clientOf(nodes), 'k', options, () => 'stored'))).toBe('stored')
  await vi.advanceTimersByTimeAsync(20_000)
  nodes[1]!.fail()
  nodes[2]!.restart() // the value is left on the first node alone
  let requests = 0
  const failing: LockNode = {
    ...nodes[2]!,
    run: async (...given) => {
      if (++requests > 1) throw new Error('down')
      return nodes[2]!.run(...given)
    },
  }
  const redlock = new Redlock({
    nodes: [nodes[0]!, nodes[1]!, failing],
    onEvent: (event) => events.push(event),
  })
  const value = await outcome(once(redlock, 'k', options, () => 'own'))
  expect(value).toBe('own')
  expect(events.filter(({ type }) => type === 'failed-open')).toHaveLength(1)
})

it('returns the value of a run during which the nodes fail', async () => {
  const nodes = memoryNodes(3)
  const events: LockEvent[] = []
  const value = await outcome(
    once(clientOf(nodes, events), 'k', { ...options, ttl: 60_000 }, () => {
      failMajority(nodes)
      return { at: new Date(0) }
    }),
  )
  expect(value).toEqual({ at: new Date(0).toJSON() })
  expect(events.filter(({ type }) => type === 'failed-open')).toMatchObject([
    { kind: 'claim', keys: ['once:k'], reason: 'unavailable' },
  ])
})

it('keeps the error of a run during which the lock was lost', async () => {
  const nodes = memoryNodes(3)
  const run = async (): Promise<string> => {
    for (const node of nodes) node.restart()
    await vi.advanceTimersByTimeAsync(60_000)
    return 'late'
  }
  const error = await outcome(once(clientOf(nodes), 'k', { ...options, maxHold: 1_000 }, run))
  expect(isNotRecordedError(error) && error.reason).toBe('lost')
})

it('returns what the codec decodes, as it does with a lock', async () => {
  const nodes = memoryNodes(3)
  failMajority(nodes)
  const redlock = clientOf(nodes)
  const value = await done(once<unknown>(redlock, 'k', options, () => ({ at: new Date(0) })))
  expect(value).toEqual({ at: new Date(0).toJSON() })
  const error = await outcome(once<unknown>(redlock, 'k', options, () => new Map()))
  expect(isNotRecordedError(error) && [error.reason, error.value]).toEqual(['not-kept', new Map()])
  const store = bodyStore({
    put: () => expect.fail('nothing is stored'),
    get: () => expect.fail('nothing is read'),
  })
  const large = 'x'.repeat(100_000)
  expect(await done(once(redlock, 'k', { ...options, store }, () => large))).toBe(large)
})

it('throws what the run throws, and records no failure', async () => {
  const nodes = memoryNodes(3)
  failMajority(nodes)
  const redlock = clientOf(nodes)
  const call = (): Promise<unknown> =>
    outcome(
      once(redlock, 'k', { ...options, failures: 'replay' }, () => {
        throw new RangeError('expired')
      }),
    )
  expect(await call()).toEqual(new RangeError('expired'))
  expect(await call()).toEqual(new RangeError('expired'))
})

it('does not run for a call that was canceled', async () => {
  const nodes = memoryNodes(3)
  for (const node of nodes) node.hang()
  const run = vi.fn<() => number>()
  const controller = new AbortController()
  const call = outcome(once(clientOf(nodes), 'k', { ...options, signal: controller.signal }, run))
  await vi.advanceTimersByTimeAsync(100)
  controller.abort(new Error('left'))
  expect(await call).toEqual(new Error('left'))
  expect(run).not.toHaveBeenCalled()
})

it('gives the work to `waitUntil`', async () => {
  const nodes = memoryNodes(3)
  failMajority(nodes)
  const kept: Promise<unknown>[] = []
  const { promise, resolve } = later()
  const call = once(
    clientOf(nodes),
    'k',
    { ...options, waitUntil: (work) => void kept.push(work) },
    async () => promise.then(() => 7),
  )
  await vi.advanceTimersByTimeAsync(5_000)
  let isOver = false
  void Promise.all(kept).then(() => (isOver = true))
  await vi.advanceTimersByTimeAsync(1)
  expect(isOver).toBe(false)
  resolve()
  expect(await done(call)).toBe(7)
  await done(Promise.all(kept))
})

it('a run that asks for a lock has to ask for its absence, too', () => {
  const redlock = clientOf(memoryNodes(3))
  const needs = (lock: Lock): string => lock.id
  const open: OnceOptions<string> = options
  const attempts = (): unknown[] => [
    once(redlock, 'k', { keepFor: 0 }, needs),
    once(redlock, 'k', open, (lock) => lock?.id ?? 'none'),
    // @ts-expect-error there is no lock in an outage
    once(redlock, 'k', { keepFor: 0, failOpen: true }, needs),
  ]
  expect(attempts).toBeTypeOf('function')
})
