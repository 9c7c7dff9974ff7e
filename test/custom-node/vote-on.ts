import type { LockNode } from '../../src/entries/custom-node.ts'
import { freshKey } from '../support/nodes.ts'
import { once } from '../../src/entries/idempotency.ts'
import { forceRelease, Redlock, throttle, withSlots } from '../../src/index.ts'

/** What sound nodes answer to `voteOn`. */
export const votes = {
  second: 'locked',
  released: 'released',
  rises: true,
  afterForce: true,
  slots: ['slots#1', 'slots#2'],
  thirdSlot: false,
  throttled: [true, false],
  runs: 1,
}

/** Has nodes vote on everything that a client asks for. */
export const voteOn = async (nodes: readonly LockNode[]): Promise<typeof votes> => {
  const key = freshKey()
  const pool = freshKey()
  const redlock = withSlots(new Redlock({ nodes }))
  const lock = await redlock.acquire(key)
  const second = await redlock.tryAcquire(key)
  const token = await lock.fencingToken()
  await lock.extend()
  const released = await lock.release()
  const next = await (await redlock.acquire(key)).fencingToken()
  await forceRelease(redlock, key)
  const forced = await redlock.tryAcquire(key)
  const slots = await Promise.all([1, 2].map(() => redlock.acquire(pool, { limit: 2 })))
  const thirdSlot = await redlock.tryAcquire(pool, { limit: 2 })
  const throttled: boolean[] = []
  let runs = 0
  for (let turn = 0; turn < 2; turn++) {
    throttled.push((await throttle(redlock, key, { window: 60_000 })).ok)
    await once(redlock, key, { keepFor: 60_000 }, async () => ++runs)
  }
  return {
    second: second.ok ? 'granted' : second.reason,
    released,
    rises: next > token,
    afterForce: forced.ok,
    slots: slots.flatMap(({ keys }) => keys.map((name) => name.replace(pool, 'slots'))).sort(),
    thirdSlot: thirdSlot.ok,
    throttled,
    runs,
  }
}
