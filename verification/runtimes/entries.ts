import { type Tracer, withSlots, withTracing, withWakeUp } from '../../src/index.ts'
import { type Checks, equal } from './core.ts'

// Ms between two tries. It is longer than a check may take, so only a message can end the pause.
const longPause = 15_000

/** The checks of `withSlots`, `withWakeUp` and `withTracing` in every runtime. */
export const entries: Checks = {
  'a limit of two': async ({ redlock, key, waitUntil }) => {
    const slots = withSlots(redlock)
    const first = await slots.acquire(key, { limit: 2, waitUntil })
    const second = await slots.acquire(key, { limit: 2, waitUntil })
    equal((await slots.tryAcquire(key, { limit: 2, waitUntil })).ok, false, 'a third holder')
    await first.release()
    const third = await slots.acquire(key, { limit: 2, wait: 5_000, waitUntil })
    equal(third.keys[0], first.keys[0], 'the slot that came free')
    await Promise.all([second.release(), third.release()])
    return 'ok'
  },
  'a waiter that a message wakes': async ({ redlock, other, key, waitUntil }) => {
    const begun = Date.now()
    const lock = await withWakeUp(redlock).acquire(key, { ttl: 60_000, waitUntil })
    const waiting = withWakeUp(other).acquire(key, {
      wait: 2 * longPause,
      retry: () => longPause,
      waitUntil,
    })
    await new Promise((resolve) => setTimeout(resolve, 500))
    await lock.release()
    await (await waiting).release()
    equal(Date.now() - begun < longPause, true, 'woken before the next try')
    return 'ok'
  },
  'a span of each call and lock': async ({ redlock, key, waitUntil }) => {
    const begun: string[] = []
    const ended: string[] = []
    const start = (name: string) => {
      begun.push(name)
      return { setAttribute: () => {}, end: () => void ended.push(name) }
    }
    const tracer: Tracer = {
      startSpan: (name) => start(name),
      startActiveSpan: (name, run) => run(start(name)),
    }
    const traced = withTracing(redlock, { tracer })
    const lock = await traced.acquire(key, { waitUntil })
    await lock.release()
    equal(begun.join(), 'lock.acquire,lock.hold', 'spans')
    equal(ended.join(), begun.join(), 'spans that ended')
    return 'ok'
  },
}
