import { median } from '../shared/quantile.ts'
import { openVirtualClients, type Strategy } from './virtual-clients.ts'

/** The results of bursts: `size` clients acquire one lock at the same moment, once each. */
export type Bursts = {
  readonly strategy: Strategy
  readonly size: number
  /** How many bursts had exactly one winner. */
  readonly one: number
  readonly requests: number
  /** Median ms to the winner. */
  readonly toWinner: number
}

/** The results of clients that wait for one lock, acquire it once each, and release it at once. */
export type Waiters = {
  readonly strategy: Strategy
  readonly size: number
  /** The time until all have had it, over that of one client without contention. */
  readonly ratio: number
  readonly requests: number
  /** The longest wait over the median wait. */
  readonly unluckiest: number
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Measures bursts of one size. */
export const measureBursts = async (
  strategy: Strategy,
  size: number,
  { bursts, seed }: { readonly bursts: number; readonly seed: number },
): Promise<Bursts> => {
  const { clients, now, sent, until, settle } = openVirtualClients(seed, size, strategy)
  const requests: number[] = []
  const times: number[] = []
  let one = 0
  for (let burst = 0; burst < bursts; burst++) {
    const [before, begun] = [sent(), now()]
    const acquire = async (client: (typeof clients)[number]) => {
      const result = await client.tryAcquire(`burst ${burst}`)
      if (!result.ok) return []
      times.push(now() - begun)
      return [result.lock]
    }
    // The lock is held until every client has its answer.
    const won = (await until(Promise.all(clients.map(acquire)))).flat()
    if (won.length === 1) one++
    await until(Promise.all(won.map((lock) => lock.release())))
    await settle()
    requests.push(sent() - before)
  }
  return { strategy, size, one, requests: mean(requests), toWinner: median(times)! }
}

/** The virtual ms that one client needs for `count` locks in turn, without contention. */
const serialTime = async (seed: number, count: number): Promise<number> => {
  const { clients, now, until } = openVirtualClients(seed, 1, 'parallel')
  const acquireAll = async (): Promise<void> => {
    for (let turn = 0; turn < count; turn++) {
      await (await clients[0]!.acquire(`turn ${turn}`)).release()
    }
  }
  await until(acquireAll())
  return now()
}

/** Measures waiting clients, in several worlds with seeds that count up from the given one. */
export const measureWaiters = async (
  strategy: Strategy,
  size: number,
  { worlds, seed }: { readonly worlds: number; readonly seed: number },
): Promise<Waiters> => {
  const ratios: number[] = []
  const requests: number[] = []
  const unluckiest: number[] = []
  for (let index = 0; index < worlds; index++) {
    const { clients, now, sent, until, settle } = openVirtualClients(seed + index, size, strategy)
    const acquireOnce = async (client: (typeof clients)[number]): Promise<number> => {
      const lock = await client.acquire('one', { wait: 600_000 })
      await lock.release()
      return now()
    }
    const alone = await serialTime(seed + index, size)
    const begun = now()
    const ends = await until(Promise.all(clients.map(acquireOnce)))
    const waits = ends.map((end) => end - begun)
    await settle()
    ratios.push(Math.max(...waits) / alone)
    requests.push(sent() / size)
    unluckiest.push(Math.max(...waits) / median(waits)!)
  }
  return {
    strategy,
    size,
    ratio: median(ratios)!,
    requests: median(requests)!,
    unluckiest: median(unluckiest)!,
  }
}
