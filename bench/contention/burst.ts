import { randomUUID } from 'node:crypto'
import type { Contestant } from '../../verification/comparison/contestants/contestant.ts'
import type { Address } from '../../verification/comparison/nodes.ts'
import { median } from '../shared/quantile.ts'
import { openClients } from './clients.ts'

/** The results of many bursts: `size` clients acquire one lock at the same moment, once each. */
export type Bursts = {
  readonly contestant: string
  readonly size: number
  readonly bursts: number
  /** How many bursts ended with no, one, or several winners. */
  readonly none: number
  readonly one: number
  readonly several: number
  /** Requests per burst, including releases and cleanup. */
  readonly requests: number
  /** Median ms from the start of a burst to its winner; undefined where none had a winner. */
  readonly toWinner: number | undefined
}

/** Measures bursts of one contestant. */
export const measureBursts = async (
  contestant: Contestant,
  addresses: readonly Address[],
  size: number,
  bursts: number,
): Promise<Bursts> => {
  const clients = await openClients(contestant, addresses, size, { ttl: 30_000, retries: 0 })
  try {
    const before = await clients.settled()
    const counts = [0, 0, 0]
    const times: number[] = []
    for (let burst = 0; burst < bursts; burst++) {
      const key = randomUUID()
      const begun = performance.now()
      const results = await Promise.allSettled(
        clients.sessions.map(async (session) => {
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
    const requests = ((await clients.settled()) - before) / bursts
    const { name } = contestant
    return { contestant: name, size, bursts, none, one, several, requests, toWinner: median(times) }
  } finally {
    clients.close()
  }
}
