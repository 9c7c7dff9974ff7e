import { median } from '../shared/quantile.ts'
import { openVirtualClients, type Strategy } from './virtual-clients.ts'

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

/** The virtual ms that one client needs for `count` locks in turn, without contention. */
const serialTime = async (seed: number, count: number): Promise<number> => {
  const { clients, now, until } = openVirtualClients(seed, 1, 'parallel')
  const acquireAll = async (): Promise<number> => {
    for (let turn = 0; turn < count; turn++) {
      await (await clients[0]!.acquire(`turn ${turn}`)).release()
    }
    return now()
  }
  return until(acquireAll())
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
