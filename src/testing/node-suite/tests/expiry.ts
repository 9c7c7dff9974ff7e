import type { AboutKeys, Command } from '../../../protocol/command.ts'
import type { Granted } from '../../../protocol/reply.ts'
import type { Bench } from '../bench.ts'
import { acquire, longTtl, release } from '../commands.ts'

const ttl = 300
/** Ms by which clocks are coarse. */
const slack = 20
/** Ms after the end of a TTL in which a key must expire. */
const maxDelay = 3_000

export const pause = (time: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, time))

/** A lock that is to expire. */
type Expiring = {
  readonly about: AboutKeys
  readonly counter: number
  /** When it was asked for, and when the reply was there: the TTL began in between. */
  readonly begun: number
  readonly ended: number
}

const grant = async (bench: Bench, command: Command): Promise<Granted> => {
  const reply = await bench.run(command)
  if (reply.status !== 'granted') return bench.fail('a free key was not granted', [command, reply])
  return reply
}

/** Acquires a key whose counter is ahead of the clock. */
const acquireShortly = async (bench: Bench, name: string, owner: string): Promise<Expiring> => {
  const about = bench.about([name], owner)
  const begun = performance.now()
  const { counter } = await grant(bench, acquire(about, { ttl, minCounter: bench.now() + 4_000 }))
  return { about, counter, begun, ended: performance.now() }
}

/** Asks for the key until it is granted: not before its TTL has passed, and soon after. */
const acquireNext = async (bench: Bench, name: string, expiring: Expiring): Promise<Granted> => {
  for (let turn = 0; ; turn++) {
    const command = acquire(bench.about([name], `bob${turn}`), {
      ttl: longTtl,
      minCounter: bench.now() - 4_000,
    })
    const reply = await bench.run(command)
    const passed = Math.round(performance.now() - expiring.begun)
    if (reply.status === 'granted') {
      // It was granted before the reply arrived, so the load of the machine excuses nothing.
      if (passed < ttl - slack)
        bench.fail(`a key with a TTL of ${ttl} ms expired within ${passed} ms`, [command, reply])
      return reply
    }
    if (passed > ttl + maxDelay + bench.slowest())
      bench.fail(`a key with a TTL of ${ttl} ms is locked after ${passed} ms`, [command, reply])
    await pause(10)
  }
}

/** Tests that a lock expires, neither early nor late, and that its fence and its tombstone outlive it. */
export const testExpiry = async (bench: Bench): Promise<void> => {
  const expiring = await acquireShortly(bench, 'expires', 'ada')
  const released = bench.about(['released'], 'dan')
  const gone = await acquireShortly(bench, 'gone', 'eve')
  const before = await grant(bench, acquire(released, { ttl, minCounter: bench.now() + 4_000 }))
  await bench.run(release(released))

  const { counter } = await acquireNext(bench, 'expires', expiring)
  if (counter <= expiring.counter)
    bench.fail(`the counter fell from ${expiring.counter} to ${counter} when the lock expired`)
  // Its own fence shows that nobody else has had the key since.
  await pause(Math.max(0, gone.ended + ttl + 5 * slack - performance.now()))
  const extend = { op: 'extend', ...gone.about, ttl: longTtl, minCounter: gone.counter } as const
  const restored = await grant(bench, extend)
  if (restored.counter <= gone.counter)
    bench.fail('the counter did not rise when an extend restored an expired key', [
      extend,
      restored,
    ])

  const late = acquire(released, { ttl, minCounter: bench.now() })
  const refused = await bench.run(late)
  if (refused.status !== 'absent')
    bench.fail('the tombstone of a release was forgotten before its TTL', [late, refused])
  const next = await grant(
    bench,
    acquire(bench.about(['released'], 'fay'), { ttl, minCounter: bench.now() - 4_000 }),
  )
  if (next.counter <= before.counter)
    bench.fail(`the counter fell from ${before.counter} to ${next.counter} after a release`)
}
