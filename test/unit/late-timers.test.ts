import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { once } from '../../src/entries/idempotency.ts'
import { forceRelease, inspect, Redlock, throttle } from '../../src/index.ts'
import { type MemoryNode, memoryNodes } from '../../src/entries/testing.ts'
import { systemClock } from '../../src/util/clock.ts'

// On a busy machine every timer rings late. A pause of the process is a reason to read what has arrived meanwhile,
// but once: the next timer counts, however late it is.

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }),
)
afterEach(() => void vi.useRealTimers())

/** A clock whose timers ring so many ms late. */
const lateBy = (lateness: number): typeof systemClock => ({
  ...systemClock,
  setTimer: (callback, delay) => systemClock.setTimer(callback, delay + lateness),
})

/** A client, and its nodes, which answer at first. */
const setUp = (lateness: number): { redlock: Redlock; nodes: MemoryNode[] } => {
  const nodes = memoryNodes(3)
  const redlock = new Redlock({
    nodes,
    nodeTimeout: 500,
    warnings: false,
    advanced: { clock: lateBy(lateness) },
  })
  return { redlock, nodes }
}

/** What becomes of a call: the state or reason of its result, or the name of its error. */
const outcomeOf = async (call: Promise<unknown>): Promise<unknown> => {
  try {
    const result = await call
    const { reason, state } = Object(result) as { reason?: string; state?: string }
    return reason ?? state ?? result
  } catch (error) {
    return (error as Error).name
  }
}

const options = { keepFor: 60_000, wait: 100 }

/** Calls while all nodes hang, and what becomes of them. */
const calls: Readonly<Record<string, readonly [(redlock: Redlock) => Promise<unknown>, unknown]>> =
  {
    'a call with `wait`': [(redlock) => redlock.acquire('key', { wait: 100 }), 'QuorumError'],
    'a call without': [(redlock) => redlock.tryAcquire('key'), 'unavailable'],
    'a throttle': [(redlock) => throttle(redlock, 'key', { window: 1_000 }), 'unavailable'],
    'an inspection': [(redlock) => inspect(redlock, 'key'), 'unavailable'],
    'a release by force': [(redlock) => forceRelease(redlock, 'key'), 'QuorumError'],
    'a function that runs once': [
      (redlock) => once(redlock, 'key', options, () => 1),
      'QuorumError',
    ],
  }

const rows = Object.entries(calls).flatMap(([name, [call, outcome]]) =>
  [21, 300].map((ms) => [name, ms, call, outcome] as const),
)

it.each(rows)(
  '%s ends although each timer rings %d ms late',
  async (_, lateness, call, outcome) => {
    const { redlock, nodes } = setUp(lateness)
    for (const node of nodes) node.hang()
    let ended: unknown
    void outcomeOf(call(redlock)).then((end) => (ended = end))
    await vi.advanceTimersByTimeAsync(5_000)
    expect(ended).toBe(outcome)
  },
)

it.each([21, 300])('a lock ends although each timer rings %d ms late', async (lateness) => {
  const { redlock, nodes } = setUp(lateness)
  const [one, two] = [await redlock.acquire('one'), await redlock.acquire('two')]
  for (const node of nodes) node.hang()
  const ends: unknown[] = []
  const ending = [one.extend(), one.release(), two.release()]
  for (const [index, end] of ending.entries())
    void outcomeOf(end).then((outcome) => (ends[index] = outcome))
  // A release is tried for as long as the lock lives.
  await vi.advanceTimersByTimeAsync(60_000)
  expect(ends).toEqual([expect.stringMatching(/Error$/), 'unconfirmed', 'unconfirmed'])
})

it('a late node, one that hangs and a crowd have one winner, although each timer is late', async () => {
  const { nodes } = setUp(0)
  nodes[0]!.hang()
  nodes[1]!.delay(40)
  const clients = Array.from(
    { length: 10 },
    () =>
      new Redlock({ nodes, nodeTimeout: 500, warnings: false, advanced: { clock: lateBy(50) } }),
  )
  const calling = Promise.all(clients.map((redlock) => redlock.tryAcquire('key', { ttl: 30_000 })))
  let results: Awaited<typeof calling> | undefined
  void calling.then((all) => (results = all))
  await vi.advanceTimersByTimeAsync(20_000)
  expect(results?.filter(({ ok }) => ok).length).toBe(1)
})
