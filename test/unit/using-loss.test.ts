import { expect, it } from 'vitest'
import { isLockLostError, type Lock, Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

// `using` tells that its lock was lost, also where no timer could ring while the process was blocked.

const redlock = new Redlock({ nodes: memoryNodes(3) })

/** Blocks the process, so that no timer rings. */
const block = (ms: number): void => {
  const end = performance.now() + ms
  while (performance.now() < end);
}
const outcomeOf = (running: Promise<unknown>): Promise<unknown> =>
  running.then(
    (value) => value,
    (error: unknown) => (isLockLostError(error) ? 'lost' : (error as Error).message),
  )

type Case = [name: string, run: (lock: Lock) => unknown, outcome: unknown, maxHold?: number]

it.each<Case>([
  ['a routine in time', () => 'done', 'done'],
  ['a blocked process', () => block(150), 'lost'],
  [
    'a blocked process, and the signal that was taken before',
    async ({ signal }) => {
      block(150)
      signal.throwIfAborted()
      return 'done'
    },
    'lost',
  ],
  [
    'an error of the routine after that',
    () => {
      block(150)
      throw new Error('own')
    },
    'own',
  ],
  [
    'a lock that the routine has released before',
    async (lock) => {
      await lock.release()
      block(150)
      return 'done'
    },
    'done',
  ],
  ['a routine longer than `maxHold`', () => new Promise((end) => setTimeout(end, 200)), 'lost', 50],
])('%s', async (_, run, outcome, maxHold = 60_000) => {
  const running = redlock.using(crypto.randomUUID(), { ttl: 100, maxHold }, run)
  expect(await outcomeOf(running)).toBe(outcome)
})

it('the lock is released after the loss', async () => {
  await outcomeOf(redlock.using('key', { ttl: 100 }, () => block(150)))
  expect((await redlock.tryAcquire('key')).ok).toBe(true)
})
