import { randomUUID } from 'node:crypto'
import type { Contestant } from '../../verification/comparison/contestants/contestant.ts'
import type { Address } from '../../verification/comparison/nodes.ts'
import { median } from '../shared/quantile.ts'
import { gather } from './crowd.ts'

/** What came of many bursts of so many who ask for one lock at the same moment, one try each. */
export type Bursts = {
  readonly contestant: string
  readonly size: number
  readonly bursts: number
  /** How many bursts ended with so many winners. */
  readonly none: number
  readonly one: number
  readonly several: number
  /** Requests per burst, with everything that follows from it: releases, cleaning up. */
  readonly requests: number
  /** Median ms from the start of a burst to its winner; undefined where there was none ever. */
  readonly toWinner: number | undefined
}

/** Plays the bursts of one contestant. */
export const playBursts = async (
  contestant: Contestant,
  addresses: readonly Address[],
  size: number,
  bursts: number,
): Promise<Bursts> => {
  const crowd = await gather(contestant, addresses, size, { ttl: 30_000, retries: 0 })
  try {
    const before = await crowd.settled()
    const counts = [0, 0, 0]
    const times: number[] = []
    for (let burst = 0; burst < bursts; burst++) {
      const key = randomUUID()
      const begun = performance.now()
      const results = await Promise.allSettled(
        crowd.sessions.map(async (session) => {
          const hold = await session.acquire([key])
          return { hold, took: performance.now() - begun }
        }),
      )
      const won = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      counts[Math.min(won.length, 2)]!++
      if (won.length > 0) times.push(Math.min(...won.map(({ took }) => took)))
      await Promise.all(won.map(({ hold }) => hold.release()))
    }
    const [none, one, several] = counts as [number, number, number]
    const requests = ((await crowd.settled()) - before) / bursts
    const { name } = contestant
    return { contestant: name, size, bursts, none, one, several, requests, toWinner: median(times) }
  } finally {
    crowd.close()
  }
}
