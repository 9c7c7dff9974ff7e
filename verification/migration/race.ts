import { setTimeout as sleep } from 'node:timers/promises'
import type { Redlock } from '../../src/index.ts'
import type { Session } from '../comparison/contestants/contestant.ts'
import { freshKey } from './bed.ts'

/** The outcome of a race. */
export type Race = {
  /** How often a client acquired the lock while another client held it. */
  readonly overlaps: number
  /** How often each library acquired it. */
  readonly wins: { own: number; other: number }
}

const [clientsOfEach, minWins, limit] = [2, 8, 10_000]

/**
 * Clients of both libraries repeatedly acquire, extend and release one lock, until each library has won several
 * times. Each holder checks whether another client also holds the lock.
 */
export const raceBetween = async (
  openOther: () => Promise<Session>,
  own: () => Redlock,
): Promise<Race> => {
  const key = freshKey()
  const wins = { own: 0, other: 0 }
  const end = Date.now() + limit
  let [inside, overlaps] = [0, 0]
  const isOver = (): boolean => Date.now() > end || Math.min(wins.own, wins.other) >= minWins

  const hold = async (
    library: keyof typeof wins,
    extend: () => Promise<unknown>,
    release: () => Promise<unknown>,
  ): Promise<void> => {
    if (inside++ > 0) overlaps++
    wins[library]++
    await sleep(Math.random() * 4)
    await extend()
    if (inside > 1) overlaps++
    inside--
    await release()
  }
  const ownClient = async (): Promise<void> => {
    const redlock = own()
    while (!isOver()) {
      const result = await redlock.tryAcquire(key)
      if (result.ok)
        await hold(
          'own',
          () => result.lock.extend(),
          () => result.lock.release(),
        )
      await sleep(Math.random() * 20)
    }
  }
  const otherClient = async (): Promise<void> => {
    const session = await openOther()
    while (!isOver()) {
      // In some of the libraries, a rejection is an error.
      const held = await session.acquire([key]).catch(() => undefined)
      if (held)
        await hold(
          'other',
          () => held.extend(10_000),
          () => held.release(),
        )
      await sleep(Math.random() * 20)
    }
  }
  const clients = Array.from({ length: clientsOfEach }, () => [ownClient(), otherClient()])
  await Promise.all(clients.flat())
  return { overlaps, wins }
}
