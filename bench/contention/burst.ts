import { randomUUID } from 'node:crypto'
import type { Contestant, Session } from '../rivals/contestants/contestant.ts'
import { sleep } from '../rivals/faults.ts'
import { remote } from '../distance.ts'
import { type Address, type FaultyNode, faultyNode } from '../rivals/nodes.ts'

/** What came of many bursts of so many who ask for one lock at the same moment, one try each. */
export type Bursts = {
  readonly contestant: string
  readonly size: number
  /** How many bursts ended with so many winners. */
  readonly none: number
  readonly one: number
  readonly several: number
  /** Requests per burst, with everything that follows from it: releases, cleaning up. */
  readonly requests: number
  /** Median ms from the start of a burst to its winner; undefined where there was none ever. */
  readonly toWinner: number | undefined
}

const ttl = 30_000

/** Resolves once no more requests are sent. */
const quiet = async (nodes: readonly FaultyNode[]): Promise<number> => {
  const count = (): number => nodes.reduce((sum, { sent }) => sum + sent, 0)
  for (let seen = -1; seen !== count(); await sleep(150)) seen = count()
  return count()
}

const median = (values: readonly number[]): number | undefined =>
  values.toSorted((a, b) => a - b)[values.length >> 1]

/** Plays the bursts of one contestant, each of whose clients is far from all servers. */
export const playBursts = async (
  contestant: Contestant,
  addresses: readonly Address[],
  size: number,
  bursts: number,
): Promise<Bursts> => {
  const nodes: FaultyNode[] = []
  const sessions: Session[] = []
  try {
    for (let client = 0; client < size; client++) {
      const own = addresses.map(faultyNode)
      nodes.push(...own)
      const setup = { nodes: own, ttl, retries: 0, timeout: undefined, quorum: undefined }
      const session = await contestant.open(setup)
      sessions.push(session)
      // So that scripts are known to the servers.
      await (await session.acquire([randomUUID()])).release()
    }
    for (const node of nodes) node.fault = remote
    const before = await quiet(nodes)

    const counts = [0, 0, 0]
    const times: number[] = []
    for (let burst = 0; burst < bursts; burst++) {
      const key = randomUUID()
      const begun = performance.now()
      const results = await Promise.allSettled(
        sessions.map(async (session) => {
          const hold = await session.acquire([key])
          return { hold, took: performance.now() - begun }
        }),
      )
      const won = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      counts[Math.min(won.length, 2)]!++
      if (won.length > 0) times.push(Math.min(...won.map(({ took }) => took)))
      await Promise.all(won.map(({ hold }) => hold.release()))
    }
    const after = await quiet(nodes)
    const [none, one, several] = counts as [number, number, number]
    const requests = (after - before) / bursts
    const toWinner = median(times)
    return { contestant: contestant.name, size, none, one, several, requests, toWinner }
  } finally {
    for (const session of sessions) session.close()
  }
}
