import { type LockNode, Redlock, throttle } from '../../src/index.ts'
import { memoryNode } from '../../src/entries/testing.ts'
import type { Clock } from '../../src/util/clock.ts'
import { randomFrom } from '../../tools/random.ts'
import {
  edgeRedlock,
  edgeRedlockFrugal,
} from '../../verification/comparison/contestants/edge-redlock.ts'
import { makeEventLoop } from '../../verification/simulation/engine/event-loop.ts'
import { makeTrace } from '../../verification/simulation/engine/trace.ts'
import { type Network, nearby } from './network.ts'
import type { Answer, Ask, World } from './world.ts'
import { nodeThrough } from '../../tools/node-through.ts'

/** The contestants in virtual time, by name: this project with each of its strategies. */
export const strategies = {
  [edgeRedlock.name]: 'parallel',
  [edgeRedlockFrugal.name]: 'frugal',
} as const

/** How a client asks. */
type Call = (client: Redlock, key: string) => Promise<Answer>

const calls = {
  lock: async (client, key) => {
    const result = await client.tryAcquire(key)
    return result.ok ? { state: 'won', release: () => result.lock.release() } : { state: 'refused' }
  },
  throttle: async (client, key) => {
    const { ok } = await throttle(client, key, { window: 30_000 })
    return { state: ok ? 'won' : 'refused' }
  },
  'patient lock': async (client, key) => {
    const lock = await client.acquire(key, { wait: 600_000 })
    return { state: 'won', release: () => lock.release() }
  },
} as const satisfies { readonly [name: string]: Call }

export type VirtualOptions = {
  readonly contestant: string
  readonly seed: number
  readonly size: number
  readonly call?: keyof typeof calls
  readonly network?: Network | undefined
  /** Whether each burst has new clients, without information about the servers. */
  readonly isFresh?: boolean
  /** Whether every client has acquired once before. */
  readonly isWarm?: boolean
  /** The servers on which a client that has crashed has left each lock, 5 seconds ago. */
  readonly remains?: readonly number[]
}

// The first moment on the clocks of the clients and the servers.
const epoch = 1_800_000_000_000
// How often the end of work is checked, in ms. Figures refer to the end of the work, not to the check.
const step = 5
// The time after which unfinished work has a call that never settles, in ms.
const maxTime = 3_600_000
// The time in which everything that follows from a call ends, including requests that time out, in ms.
const settlingTime = 5_000

/**
 * Opens clients far from five servers, in a virtual world where only the network takes time. The same seed gives the
 * same events. The number of a server is its rank for all clients.
 */
export const openVirtualWorld = async ({
  contestant,
  seed,
  size,
  call = 'lock',
  network = nearby,
  isFresh = false,
  isWarm = false,
  remains = [],
}: VirtualOptions): Promise<World> => {
  const random = randomFrom(seed)
  const loop = makeEventLoop(random, makeTrace(false))
  const { now } = loop
  const later = (delay: number, run: () => void): (() => void) =>
    loop.after(delay, () => {
      loop.wake()
      run()
    })
  const clock: Clock = {
    wall: () => epoch + Math.floor(now()),
    monotonic: now,
    setTimer: (callback, delay) => later(delay, callback),
  }
  // The nodes are ranked by name.
  const servers = Array.from({ length: 5 }, (_, rank) =>
    memoryNode({ name: `node-${rank}`, now: () => epoch + now() }),
  )
  let sent = 0
  /** The delay between a client and a server, during which the client may abort the request. */
  const travel = (client: number, server: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const delay = network(client, server, random)
      const abort = (): void => reject(signal.reason)
      if (signal.aborted) return abort()
      signal.addEventListener('abort', abort, { once: true })
      if (delay === Infinity) return
      later(delay, () => {
        signal.removeEventListener('abort', abort)
        resolve()
      })
    })
  const nodesOf = (client: number): LockNode[] =>
    servers.map((server, rank) =>
      nodeThrough(server, async ({ signal }, send) => {
        sent++
        await travel(client, rank, signal)
        const reply = await send()
        await travel(client, rank, signal)
        return reply
      }),
    )
  const options = {
    advanced: { clock, random: random.unit },
    strategy: strategies[contestant]!,
    ttl: 30_000,
    warnings: false,
  }
  // Nodes without a scope share no cache, so each client has its own.
  const open = (): Redlock[] =>
    Array.from({ length: size }, (_, client) => new Redlock({ ...options, nodes: nodesOf(client) }))
  const until = async <T>(work: Promise<T>): Promise<T> => {
    const state = { isDone: false }
    const working = work.finally(() => (state.isDone = true))
    const end = now() + maxTime
    while (!state.isDone) {
      if (now() > end) throw new Error(`a call has not settled within ${maxTime} virtual ms`)
      await loop.runUntil(now() + step)
    }
    return working
  }
  const rest = (): Promise<void> => loop.runUntil(now() + settlingTime)
  const known = open()
  if (isWarm) {
    for (const [index, client] of known.entries()) {
      await until(client.using(`warm-up ${index}`, {}, () => {}))
    }
    await rest()
  }
  /** Nodes that no other client hears: so this one gets the lock on these servers alone. */
  const crash = async (key: string): Promise<void> => {
    const crashed = new Redlock({ ...options, nodes: remains.map((rank) => servers[rank]!) })
    await until(crashed.acquire(key))
    await rest()
  }
  const before = sent
  const asking = (clients: readonly Redlock[]): Ask[] =>
    clients.map((client) => (key) => calls[call](client, key))
  return {
    ...(remains.length > 0 && { prepare: crash }),
    clients: async () => asking(isFresh ? open() : known),
    now,
    until,
    rest,
    sent: async () => {
      await rest()
      return sent - before
    },
    close: async () => {},
  }
}
