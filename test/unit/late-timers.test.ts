import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { isQuorumError, Redlock, throttle } from '../../src/index.ts'
import { memoryNodes } from '../../src/testing/index.ts'
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

/** A client whose nodes never answer. */
const client = (lateness: number): Redlock => {
  const nodes = memoryNodes(3)
  for (const node of nodes) node.hang()
  return new Redlock({
    nodes,
    nodeTimeout: 500,
    warnings: false,
    advanced: { clock: lateBy(lateness) },
  })
}

const calls: Readonly<Record<string, (redlock: Redlock) => Promise<unknown>>> = {
  'a call with `wait`': (redlock) =>
    redlock.acquire('key', { wait: 100 }).catch((error: unknown) => ({
      ok: false,
      reason: isQuorumError(error) && 'unavailable',
    })),
  'a call without': (redlock) => redlock.tryAcquire('key'),
  'a throttle': (redlock) => throttle(redlock, 'key', { window: 1_000 }),
}

it.each(
  Object.entries(calls).flatMap(([name, call]) => [21, 300].map((ms) => [name, ms, call] as const)),
)('%s ends although each timer rings %d ms late', async (_name, lateness, call) => {
  const begun = Date.now()
  let ended = Infinity
  const calling = call(client(lateness)).then((result) => {
    ended = Date.now() - begun
    return result
  })
  await vi.advanceTimersByTimeAsync(5_000)
  expect(ended).toBeLessThan(2_500)
  expect(await calling).toMatchObject({ ok: false, reason: 'unavailable' })
})
