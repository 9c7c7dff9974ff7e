import { expect, it } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { memoryNode } from '../../src/entries/testing.ts'
import type { Clock } from '../../src/util/clock.ts'
import { nodeThrough } from '../../tools/node-through.ts'

// A process that stands still finds its timers late, and several answers to read. The time that has passed
// decides nothing before all of them are read.

const epoch = 1_800_000_000_000
const key = 'lock:l:key'
// So often a leader asks a node within its time.
const lastAsk = 5
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A process whose time passes, whose timers ring, and whose answers are read only when the test says so. */
const setUp = (ttl?: number) => {
  let now = 0
  const requests: { readonly at: number; readonly operation: string }[] = []
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>()
  const unread: (() => void)[] = []
  const asked = [0, 0, 0]
  const clock: Clock = {
    wall: () => epoch + now,
    monotonic: () => now,
    setTimer: (callback, delay) => {
      const timer = { at: now + delay, callback }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
  }
  const servers = [0, 1, 2].map((rank) =>
    memoryNode({ name: `node-${rank}`, now: () => epoch + now }),
  )
  const nodes = servers.map((server, rank) =>
    nodeThrough(server, async ({ operation }, send) => {
      asked[rank]!++
      requests.push({ at: now, operation })
      const reply = await send()
      await new Promise<void>((resolve) => unread.push(resolve))
      return reply
    }),
  )
  return {
    servers,
    asked,
    requests,
    redlock: new Redlock({ nodes, ...(ttl && { ttl }), advanced: { clock }, warnings: false }),
    standStill: (ms: number) => void (now += ms),
    ring: async () => {
      for (const timer of [...timers].filter(({ at }) => at <= now)) {
        timers.delete(timer)
        timer.callback()
      }
      await settled()
    },
    /** Reads answers, one after the other. Default: all. */
    read: async (count: number = unread.length) => {
      for (const resolve of unread.splice(0, count)) {
        resolve()
        await settled()
      }
    },
  }
}

it.each([
  ['before', false],
  ['after', true],
])('a leader that reads its answers %s its timer rings wins by any of them', async (_, isFirst) => {
  const { servers, asked, redlock, standStill, ring, read } = setUp()
  const expiresAt = epoch + 10_000
  const [, second, third] = servers
  second!.entries.set(key, { value: 'rival001-0000-4000-8000-000000000000', expiresAt })
  third!.entries.set(key, { value: 'rival002-0000-4000-8000-000000000000', expiresAt })
  let result: Awaited<ReturnType<Redlock['tryAcquire']>> | undefined
  void redlock.tryAcquire('key').then((end) => (result = end))
  await settled()
  standStill(10)
  await read()
  const askAgain = async (times: number): Promise<void> => {
    while (asked[1]! < times) {
      standStill(1)
      await ring()
    }
  }
  for (let times = 2; times < lastAsk; times++) {
    await askAgain(times)
    await read()
  }
  // One rival has yielded when the leader asks for the last time. Its other rival has not.
  third!.entries.delete(key)
  await askAgain(lastAsk)
  standStill(1_000)
  if (isFirst) await ring()
  await read()
  await settled()
  expect(result).toMatchObject({ ok: true })
  // No second look.
  expect(asked[0]).toBe(1)
})

it.each([
  ['before', false],
  ['after', true],
])(
  'a leader that reads its answers %s its timer rings asks nobody after a quarter of the validity',
  async (_, isFirst) => {
    const { servers, requests, redlock, standStill, ring, read } = setUp(100)
    const expiresAt = epoch + 10_000
    for (const [rank, server] of servers.slice(1).entries())
      server.entries.set(key, { value: `rival00${rank}-0000-4000-8000-000000000000`, expiresAt })
    void redlock.tryAcquire('key')
    await settled()
    standStill(10)
    await read()
    // It has asked both nodes again. One has rejected it once more, and is to be asked at 22 ms.
    standStill(10)
    await read(1)
    const before = requests.length
    standStill(60)
    if (isFirst) await ring()
    await read()
    // A timer that is this late first lets more answers be read.
    for (let times = 0; times < 2; times++) {
      standStill(1)
      await ring()
    }
    const later = requests.slice(before)
    expect(later.filter(({ operation }) => operation === 'a')).toEqual([])
    // It gives up what it has.
    expect(later).toContainEqual(expect.objectContaining({ operation: 'r' }))
  },
)

it.each([
  ['before', false],
  ['after', true],
])(
  'a call that reads its answers %s the end of its `wait` rings gets the lock',
  async (_, isFirst) => {
    const { redlock, standStill, ring, read } = setUp()
    let isHeld: boolean | undefined
    void redlock.acquire('key', { wait: 100 }).then(
      ({ held }) => (isHeld = held),
      () => (isHeld = false),
    )
    await settled()
    standStill(200)
    if (isFirst) await ring()
    await read()
    await settled()
    expect(isHeld).toBe(true)
  },
)
