import type { AboutKeys, Command } from '../../../../protocol/command.ts'
import type { Granted } from '../../../../protocol/reply.ts'
import type { Bench } from '../bench.ts'
import { acquireOf, inspectOf, longTtl, releaseOf } from '../commands.ts'

const ttl = 300
/** The resolution of coarse clocks, in ms. */
const slack = 20
/** The maximum delay between the end of a TTL and the expiry of the key, in ms. */
const maxDelay = 3_000

export const pause = (time: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, time))

/** A lock whose expiry is tested. */
type Expiring = {
  readonly about: AboutKeys
  readonly counter: number
  /** When the lock was requested, and when the reply arrived. The TTL began in between. */
  readonly begun: number
  readonly ended: number
}

const grant = async (bench: Bench, command: Command): Promise<Granted> => {
  const reply = await bench.run(command)
  if (reply.status !== 'granted') return bench.fail('a free key was not granted', [command, reply])
  return reply
}

/** Acquires a key for a short time, with a counter that is ahead of the clock. */
const acquireShortly = async (bench: Bench, name: string, owner: string): Promise<Expiring> => {
  const about = bench.about([name], owner)
  const begun = performance.now()
  const { counter } = await grant(bench, acquireOf(about, { ttl, minCounter: bench.now() + 4_000 }))
  return { about, counter, begun, ended: performance.now() }
}

/**
 * The next grant of a key, and the time of the last request that found the key locked, in ms since the lock was
 * requested.
 */
type Next = { readonly reply: Granted; readonly lockedAt: number }

/** Requests the key until it is granted. This must be soon after the TTL has ended, but not before. */
const acquireNext = async (bench: Bench, name: string, expiring: Expiring): Promise<Next> => {
  let lockedAt = 0
  for (let turn = 0; ; turn++) {
    const command = acquireOf(bench.about([name], `bob${turn}`), {
      ttl: longTtl,
      minCounter: bench.now() - 4_000,
    })
    const asked = performance.now() - expiring.begun
    const reply = await bench.run(command)
    const passed = Math.round(performance.now() - expiring.begun)
    if (reply.status === 'granted') {
      // The grant happened before its reply arrived, so a slow machine cannot explain an early grant.
      if (passed < ttl - slack)
        bench.fail(`a key with a TTL of ${ttl} ms expired within ${passed} ms`, [command, reply])
      return { reply, lockedAt }
    }
    lockedAt = asked
    if (passed > ttl + maxDelay + bench.slowest())
      bench.fail(`a key with a TTL of ${ttl} ms is locked after ${passed} ms`, [command, reply])
    await pause(10)
  }
}

/** How often to repeat the test if the machine or the node was too slow to detect an early expiry. */
const looks = 5

/**
 * Tests that a key stays locked until shortly before its TTL ends, and can be acquired soon after with a higher
 * counter.
 */
const testEnd = async (bench: Bench): Promise<void> => {
  for (let look = 0; look < looks; look++) {
    const name = `expires-${look}`
    const expiring = await acquireShortly(bench, name, 'ada')
    const { reply, lockedAt } = await acquireNext(bench, name, expiring)
    if (reply.counter <= expiring.counter)
      bench.fail(
        `the counter did not rise when the lock expired: ${expiring.counter}, then ${reply.counter}`,
      )
    if (lockedAt > ttl / 2 + slack) return
  }
}

/** Tests that a lock expires neither too early nor too late, and that fences and tombstones outlive their locks. */
export const testExpiry = async (bench: Bench): Promise<void> => {
  const released = bench.about(['released'], 'dan')
  const gone = await acquireShortly(bench, 'gone', 'eve')
  const before = await grant(bench, acquireOf(released, { ttl, minCounter: bench.now() + 4_000 }))
  await bench.run(releaseOf(released))

  await testEnd(bench)
  // The fence shows that no other owner has held the key since, so an extend can restore it.
  await pause(Math.max(0, gone.ended + ttl + 5 * slack - performance.now()))
  const extend = { op: 'extend', ...gone.about, ttl: longTtl, minCounter: gone.counter } as const
  const restored = await grant(bench, extend)
  if (restored.counter <= gone.counter)
    bench.fail('the counter did not rise when an extend restored an expired key', [
      extend,
      restored,
    ])

  const late = acquireOf(released, { ttl, minCounter: bench.now() })
  const rejected = await bench.run(late)
  if (rejected.status !== 'absent')
    bench.fail('the tombstone of a release was lost before the end of its TTL', [late, rejected])
  const next = await grant(
    bench,
    acquireOf(bench.about(['released'], 'fay'), { ttl, minCounter: bench.now() - 4_000 }),
  )
  if (next.counter <= before.counter)
    bench.fail(`the counter did not rise after a release: ${before.counter}, then ${next.counter}`)
}

/**
 * The time between the end of a lock and the check of its fence, in ms. Waiting for the whole TTL of the fence, a
 * minute, would take too long.
 */
const wait = 2_500

/**
 * Tests that fences outlive their locks by seconds, whether the locks expired or were released, and that tombstones
 * remain after a release.
 */
export const testFenceLife = async (bench: Bench): Promise<void> => {
  const expired = await acquireShortly(bench, 'expired', 'ada')
  const released = await acquireShortly(bench, 'released', 'bob')
  await bench.run(releaseOf(released.about))
  await pause(ttl + wait)
  const late = acquireOf(released.about, { ttl, minCounter: bench.now() })
  const rejected = await bench.run(late)
  if (rejected.status !== 'absent')
    bench.fail('the tombstone of a release was lost before the end of its TTL', [late, rejected])
  for (const { about, counter } of [expired, released]) {
    const command = inspectOf(about)
    const reply = await bench.run(command)
    if (!('counter' in reply) || reply.counter !== counter)
      bench.fail(`the counter ${counter} was lost ${wait} ms after its lock`, [command, reply])
  }
}
