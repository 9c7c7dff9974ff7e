import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  adopt,
  type LockEvent,
  Redlock,
  type RedlockOptions,
  serialize,
  throttle,
  withSlots,
  withTracing,
} from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { movableClock } from '../support/movable-clock.ts'

// The event `lost` comes when the lock is lost, whether or not anybody reads its signal.

const ttl = 5_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A client, what it reports, and when, in ms. */
const observed = (options: Partial<RedlockOptions> = {}) => {
  const begun = Date.now()
  const ends: [type: string, at: number][] = []
  const onEvent = ({ type }: LockEvent): void => {
    if (type === 'lost' || type === 'released') ends.push([type, Date.now() - begun])
  }
  const nodes = memoryNodes(3)
  return { nodes, ends, redlock: new Redlock({ nodes, ttl, onEvent, ...options }) }
}

/** The validity ends a little before the ttl. */
const nearly = (time: number): unknown =>
  expect.toSatisfy((at: number) => at <= time && at > 0.98 * time)

describe('the event `lost`', () => {
  it('comes when the validity of a lock ends', async () => {
    const { redlock, ends } = observed()
    await redlock.acquire('key')
    await vi.advanceTimersByTimeAsync(10 * ttl)
    expect(ends).toEqual([['lost', nearly(ttl)]])
  })

  it('comes when the validity that an extension has set ends', async () => {
    const { redlock, ends } = observed()
    const lock = await redlock.acquire('key')
    await vi.advanceTimersByTimeAsync(3_000)
    await lock.extend()
    await vi.advanceTimersByTimeAsync(10 * ttl)
    expect(ends).toEqual([['lost', nearly(3_000 + ttl)]])
  })

  it.each(['hang', 'fail'] as const)(
    'comes while `using` runs, where all nodes %s',
    async (how) => {
      const { redlock, nodes, ends } = observed()
      const work = redlock.using('key', {}, async () => {
        for (const node of nodes) node[how]()
        await new Promise((resolve) => setTimeout(resolve, 10 * ttl))
      })
      const outcome = work.catch(String)
      await vi.advanceTimersByTimeAsync(9 * ttl)
      expect(ends).toEqual([['lost', nearly(ttl)]])
      for (const node of nodes) node.recover()
      await vi.advanceTimersByTimeAsync(2 * ttl)
      expect(await outcome).toContain('it has expired')
      expect(ends.map(([type]) => type)).toEqual(['lost', 'released'])
    },
  )

  it('comes when the validity of a lock ends that was adopted', async () => {
    const { redlock, nodes, ends } = observed()
    const lock = await new Redlock({ nodes, ttl }).acquire('key')
    adopt(redlock, serialize(lock))
    await vi.advanceTimersByTimeAsync(10 * ttl)
    expect(ends).toEqual([['lost', nearly(ttl)]])
  })

  it('ends the span of a lock when its validity ends', async () => {
    const ended: string[] = []
    const startSpan = (name: string) => ({
      setAttribute: () => {},
      end: () => void ended.push(name),
    })
    const tracer = {
      startSpan,
      startActiveSpan: <T>(name: string, run: (span: ReturnType<typeof startSpan>) => T): T =>
        run(startSpan(name)),
    }
    const redlock = withTracing(new Redlock({ nodes: memoryNodes(3), ttl }), { tracer })
    await redlock.acquire('key')
    await vi.advanceTimersByTimeAsync(10 * ttl)
    expect(ended).toContain('lock.hold')
  })

  it('comes for no pass of a throttle, which nobody releases', async () => {
    const { redlock, ends } = observed()
    const slots = withSlots(redlock)
    expect((await throttle(slots, 'one', { window: ttl })).ok).toBe(true)
    expect((await throttle(slots, 'several', { window: ttl, limit: 2 })).ok).toBe(true)
    await vi.advanceTimersByTimeAsync(10 * ttl)
    expect(ends).toEqual([])
  })
})

describe('a lock that nobody listens to', () => {
  it('needs a timer only once its signal is read', async () => {
    vi.useRealTimers()
    const clock = movableClock()
    const redlock = new Redlock({ nodes: memoryNodes(3), ttl, advanced: { clock } })
    const lock = await redlock.acquire('key')
    // The requests of the acquire have some of their own.
    await vi.waitFor(() => expect(clock.running()).toBe(0))
    expect(lock.signal.aborted).toBe(false)
    expect(clock.running()).toBe(1)
    await lock.release()
  })
})
