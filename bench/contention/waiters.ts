import { randomUUID } from 'node:crypto'
import type { Contestant, Session } from '../../verification/comparison/contestants/contestant.ts'
import { sleep } from '../../verification/comparison/faults.ts'
import type { Address } from '../../verification/comparison/nodes.ts'
import { median } from '../shared/quantile.ts'
import { gather } from './crowd.ts'

/** What came of so many who wait for one lock, take it once each, and give it back at once. */
export type Waiters = {
  readonly contestant: string
  readonly waiters: number
  /** How many of them got it before the time was up. */
  readonly granted: number
  /** Ms until the last one had it and had given it back. */
  readonly time: number
  readonly requestsPerGrant: number
  /** How long they waited, in ms. */
  readonly medianWait: number
  readonly longestWait: number
}

const options = { ttl: 30_000, retries: 1000 }

/** Ms that one client needs for so many locks of which nobody else wants any: what no crowd beats. */
export const serialBound = async (
  contestant: Contestant,
  addresses: readonly Address[],
  count: number,
): Promise<number> => {
  const crowd = await gather(contestant, addresses, 1, options)
  try {
    const begun = performance.now()
    for (let turn = 0; turn < count; turn++) {
      await (await crowd.sessions[0]!.acquire([randomUUID()])).release()
    }
    return performance.now() - begun
  } finally {
    crowd.close()
  }
}

/** Who gives up before, as after so many tries, tries again at once. */
const takeOnce = async (session: Session, key: string, isOver: () => boolean): Promise<boolean> => {
  while (!isOver()) {
    const hold = await session.acquire([key]).catch(() => undefined)
    if (!hold) continue
    await hold.release()
    return true
  }
  return false
}

/** Has them wait, for `limit` ms at most. */
export const playWaiters = async (
  contestant: Contestant,
  addresses: readonly Address[],
  waiters: number,
  limit: number,
): Promise<Waiters> => {
  const crowd = await gather(contestant, addresses, waiters, options)
  try {
    const before = await crowd.settled()
    const key = randomUUID()
    const begun = performance.now()
    const waits: number[] = []
    const isOver = (): boolean => performance.now() - begun > limit
    const all = crowd.sessions.map(async (session) => {
      if (await takeOnce(session, key, isOver)) waits.push(performance.now() - begun)
    })
    const ended = Promise.all(all)
    await Promise.race([ended, sleep(limit)])
    const time = performance.now() - begun
    const isDone = waits.length === waiters
    const requests = (isDone ? await crowd.settled() : crowd.sent()) - before
    // Who still waits is to end before the next ones come.
    if (!isDone) await Promise.race([ended, sleep(limit / 2)])
    return {
      contestant: contestant.name,
      waiters,
      granted: waits.length,
      time,
      requestsPerGrant: requests / waits.length,
      medianWait: median(waits) ?? Infinity,
      longestWait: isDone ? Math.max(...waits) : Infinity,
    }
  } finally {
    crowd.close()
  }
}
