import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  isLockedError,
  type LockNode,
  Redlock,
  type RedlockOptions,
  type SlotRedlock,
  throttle,
  withSlots,
} from '../../src/index.ts'
import { recordedNodes } from '../support/recorded-nodes.ts'

// Which nodes a call with a `limit` asks: those that a call without one asks in its place.

const [limit, ttl] = [2, 60_000]

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const client = (nodes: readonly LockNode[], options: Partial<RedlockOptions> = {}): SlotRedlock =>
  withSlots(new Redlock({ nodes, ...options }))

/** Nodes whose slots are all taken. */
const fullHouse = async () => {
  const recorded = recordedNodes(3)
  const holders = client(recorded.servers)
  for (let taken = 0; taken < limit; taken++) await holders.acquire('key', { limit, ttl })
  return recorded
}

describe('a frugal call with a limit', () => {
  it('is rejected after one request where all slots are taken', async () => {
    const { nodes, asked } = await fullHouse()
    const redlock = client(nodes, { strategy: 'frugal' })
    expect(await redlock.tryAcquire('key', { limit })).toMatchObject({
      ok: false,
      reason: 'locked',
      nodes: [{ node: 'a' }],
    })
    expect(asked()).toEqual(['a'])
  })

  it('asks the other nodes once the first has granted a slot', async () => {
    const { nodes, asked } = recordedNodes(3)
    const running = client(nodes, { strategy: 'frugal' }).acquire('key', { limit })
    expect(asked()).toEqual(['a'])
    const lock = await running
    expect(asked()).toEqual(['a', 'b', 'c'])
    expect(await lock.release()).toBe('released')
  })

  it('needs one request to find a throttle full', async () => {
    const { servers, nodes, asked } = recordedNodes(3)
    const options = { window: 60_000, limit }
    for (let passed = 0; passed < limit; passed++) await throttle(client(servers), 'key', options)
    const rejected = await throttle(client(nodes, { strategy: 'frugal' }), 'key', options)
    expect(rejected).toMatchObject({ ok: false, reason: 'locked' })
    expect(asked()).toEqual(['a'])
  })

  it('asks all other nodes when the first fails', async () => {
    const { servers, nodes, asked } = recordedNodes(3)
    servers[0]!.fail()
    const redlock = client(nodes, { strategy: 'frugal' })
    expect((await redlock.tryAcquire('key', { limit })).ok).toBe(true)
    expect(asked()).toEqual(['a', 'b', 'c'])
  })
})

describe.each([
  ['without a limit', {}],
  ['with a limit', { limit }],
])('a waiting call %s', (_, options) => {
  const pause = 150
  const attempts = 10

  /** The tries of a call that waits in vain. */
  const triesInVain = async () => {
    const { servers, nodes, asked, tries } = await fullHouse()
    await client(servers).acquire('key', { ttl })
    const retry = { delay: pause, maxDelay: pause + 1, attempts }
    const waiting = client(nodes).acquire('key', { ...options, retry })
    const rejected = waiting.catch((reason: unknown) => reason)
    await vi.advanceTimersByTimeAsync(10 * attempts * pause)
    expect(isLockedError(await rejected)).toBe(true)
    return { requests: asked().length, tries: tries() }
  }

  it('asks one node at most tries', async () => {
    const { requests, tries } = await triesInVain()
    expect(tries.length).toBeGreaterThanOrEqual(attempts)
    expect(requests).toBeLessThan(2 * attempts)
  })

  it('asks all nodes no second time without a pause', async () => {
    const { tries } = await triesInVain()
    const full = tries.filter(({ nodes }) => nodes.length > 1)
    expect(full.length).toBeGreaterThan(1)
    for (const [index, { at }] of full.slice(1).entries()) {
      expect(at - full[index]!.at).toBeGreaterThanOrEqual(pause)
    }
  })
})
