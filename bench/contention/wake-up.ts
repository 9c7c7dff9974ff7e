import { randomUUID } from 'node:crypto'
import { Redlock, withWakeUp } from '../../src/index.ts'
import { startCluster } from '../../tools/servers/cluster.ts'
import { distance } from '../shared/distance.ts'
import { median } from '../shared/quantile.ts'

/** Medians of clients that hand one lock on, with or without messages. */
export type HandingOn = {
  readonly isWoken: boolean
  readonly clients: number
  /** Time per grant, over that of one client without contention. */
  readonly ratio: number
  readonly requestsPerGrant: number
  /** Waiting times in ms. */
  readonly medianWait: number
  readonly longestWait: number
}

type Node = { readonly url: string; readonly token: string }

/** Delays each message of a stream as a distant server does. */
const distant = (): TransformStream<Uint8Array, Uint8Array> =>
  new TransformStream({
    transform: async (chunk, controller) => {
      await distance()
      controller.enqueue(chunk)
    },
  })

/** A fetch to distant servers, which counts its requests. */
const distantFetch =
  (onRequest: () => void): typeof fetch =>
  async (input, init) => {
    onRequest()
    await distance()
    const response = await fetch(input, init)
    if (response.headers.get('content-type') !== 'text/event-stream') {
      await distance()
      return response
    }
    return new Response(response.body!.pipeThrough(distant()), response)
  }

type Once = Omit<HandingOn, 'isWoken' | 'clients' | 'ratio'> & {
  /** Ms from one grant to the next. */
  readonly perGrant: number
}

/** Each of the clients acquires the lock as often as `turns` says, and releases it at once. */
const measureOnce = async (
  all: readonly Node[],
  isWoken: boolean,
  clients: number,
  turns: number,
): Promise<Once> => {
  let requests = 0
  const counting = distantFetch(() => requests++)
  const open = (): Redlock => {
    const nodes = all.map((node) => ({ ...node, fetch: counting }))
    const redlock = new Redlock({ nodes, ttl: 30_000, warnings: false })
    return isWoken ? withWakeUp(redlock) : redlock
  }
  await (await open().acquire(randomUUID())).release()
  const key = randomUUID()
  const waits: number[] = []
  const take = async (redlock: Redlock): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) {
      const asked = performance.now()
      const lock = await redlock.acquire(key, { wait: 120_000 })
      waits.push(performance.now() - asked)
      await lock.release()
    }
  }
  requests = 0
  const begun = performance.now()
  await Promise.all(Array.from({ length: clients }, open).map(take))
  const perGrant = (performance.now() - begun) / waits.length
  return {
    perGrant,
    requestsPerGrant: requests / waits.length,
    medianWait: median(waits)!,
    longestWait: Math.max(...waits),
  }
}

/** Clients that hand on one lock over three gateways, each size several times. */
export const measureHandingOn = async (rounds: number): Promise<HandingOn[]> => {
  const cluster = await startCluster({ count: 3 })
  try {
    const nodes = cluster.nodes.map(({ url, token }) => ({ url, token }))
    const results: HandingOn[] = []
    for (const clients of [2, 20, 100]) {
      for (const isWoken of [false, true]) {
        // Two clients acquire the lock 20 times each; larger groups once each, like the other waiters.
        const turns = clients === 2 ? 20 : 1
        const all: (Once & { readonly ratio: number })[] = []
        for (let round = 0; round < rounds; round++) {
          const alone = await measureOnce(nodes, isWoken, 1, Math.min(40, clients * turns))
          const together = await measureOnce(nodes, isWoken, clients, turns)
          all.push({ ...together, ratio: together.perGrant / alone.perGrant })
        }
        const medianOf = (read: (one: (typeof all)[number]) => number): number =>
          median(all.map(read))!
        results.push({
          isWoken,
          clients,
          ratio: medianOf(({ ratio }) => ratio),
          requestsPerGrant: medianOf(({ requestsPerGrant }) => requestsPerGrant),
          medianWait: medianOf(({ medianWait }) => medianWait),
          longestWait: medianOf(({ longestWait }) => longestWait),
        })
      }
    }
    return results
  } finally {
    await cluster.close()
  }
}
