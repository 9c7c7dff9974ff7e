import { randomUUID } from 'node:crypto'
import type { Contestant, Session } from '../../verification/comparison/contestants/contestant.ts'
import { sleep } from '../../verification/comparison/faults.ts'
import type { Address } from '../../verification/comparison/nodes.ts'
import { median } from '../shared/quantile.ts'
import { openClients } from './clients.ts'

/** The results of clients that wait for one lock, acquire it once each, and release it at once. */
export type Waiters = {
  readonly contestant: string
  readonly waiters: number
  /** How many of them got it within the time limit. */
  readonly granted: number
  /** Ms until the last one had released it. */
  readonly time: number
  readonly requestsPerGrant: number
  /** Waiting times in ms. */
  readonly medianWait: number
  readonly longestWait: number
}

const options = { ttl: 30_000, retries: 1000 }

/** Ms that one client needs for `count` locks in turn without contention: a lower bound. */
export const serialTime = async (
  contestant: Contestant,
  addresses: readonly Address[],
  count: number,
): Promise<number> => {
  const clients = await openClients(contestant, addresses, 1, options)
  try {
    const begun = performance.now()
    for (let turn = 0; turn < count; turn++) {
      await (await clients.sessions[0]!.acquire([randomUUID()])).release()
    }
    return performance.now() - begun
  } finally {
    clients.close()
  }
}

/** Acquires and releases once. A client whose retries are used up acquires again at once. */
const takeOnce = async (session: Session, key: string, isOver: () => boolean): Promise<boolean> => {
  while (!isOver()) {
    const hold = await session.acquire([key]).catch(() => undefined)
    if (!hold) continue
    await hold.release()
    return true
  }
  return false
}

/** Measures clients that wait for one lock, for `limit` ms at most. */
export const measureWaiters = async (
  contestant: Contestant,
  addresses: readonly Address[],
  waiters: number,
  limit: number,
): Promise<Waiters> => {
  const clients = await openClients(contestant, addresses, waiters, options)
  try {
    const before = await clients.settled()
    const key = randomUUID()
    const begun = performance.now()
    const waits: number[] = []
    const isOver = (): boolean => performance.now() - begun > limit
    const all = clients.sessions.map(async (session) => {
      if (await takeOnce(session, key, isOver)) waits.push(performance.now() - begun)
    })
    const ended = Promise.all(all)
    await Promise.race([ended, sleep(limit)])
    const time = performance.now() - begun
    const isDone = waits.length === waiters
    const requests = (isDone ? await clients.settled() : clients.sent()) - before
    // Clients that still wait must not disturb the next measurement.
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
    clients.close()
  }
}
