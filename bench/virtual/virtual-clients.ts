import { type LockNode, Redlock, type RedlockOptions } from '../../src/index.ts'
import { memoryNode } from '../../src/testing/index.ts'
import type { Clock } from '../../src/util/clock.ts'
import { randomFrom } from '../../tools/random.ts'
import { makeEventLoop } from '../../verification/simulation/engine/event-loop.ts'
import { makeTrace } from '../../verification/simulation/engine/trace.ts'
import { type Network, nearby } from './network.ts'

export type Strategy = NonNullable<RedlockOptions['strategy']>

export const strategies: readonly Strategy[] = ['parallel', 'frugal']

/** The strategy whose targets count. */
export const defaultStrategy: Strategy = 'parallel'

/** Clients far from five servers, in a virtual world where only the network takes time. */
export type VirtualClients = {
  readonly clients: readonly Redlock[]
  /** Opens clients at the same places, none of which has asked a server before. */
  readonly openFresh: () => readonly Redlock[]
  /** Ms since the world began. */
  readonly now: () => number
  readonly sent: () => number
  /** Lets time pass until the work is done. @throws when that takes more than an hour. */
  readonly until: <T>(work: Promise<T>) => Promise<T>
  /** Lets time pass until no client sends anything. */
  readonly settle: () => Promise<void>
}

// The first moment on the clocks of the clients and the servers.
const epoch = 1_800_000_000_000
// How often the end of work is checked, in ms. Figures are taken when work ends, not when that is seen.
const step = 5
// Ms that no work takes unless a call never settles.
const maxTime = 3_600_000
// Ms within which everything that follows from a call is over, a request that times out included.
const settlingTime = 5_000

/**
 * Opens clients. The same seed gives the same events. The number of a server is its rank, the same for
 * all clients.
 */
export const openVirtualClients = (
  seed: number,
  count: number,
  strategy: Strategy,
  network: Network = nearby,
): VirtualClients => {
  const random = randomFrom(seed)
  const world = makeEventLoop(random, makeTrace(false))
  const { now } = world
  const later = (delay: number, run: () => void): (() => void) =>
    world.after(delay, () => {
      world.wake()
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
  /** The way between a client and a server, during which the client may abort the request. */
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
    servers.map((server, rank) => ({
      name: server.name,
      eval: async (script, keys, args, signal) => {
        sent++
        await travel(client, rank, signal)
        const reply = await server.eval(script, keys, args, signal)
        await travel(client, rank, signal)
        return reply
      },
    }))
  const options = { advanced: { clock, random: random.unit }, strategy, ttl: 30_000 }
  // Nodes without a scope share no cache, so each client has a memory of its own.
  const openFresh = (): Redlock[] =>
    Array.from(
      { length: count },
      (_, client) => new Redlock({ ...options, nodes: nodesOf(client) }),
    )
  return {
    clients: openFresh(),
    openFresh,
    now,
    sent: () => sent,
    until: async (work) => {
      const state = { isDone: false }
      const working = work.finally(() => (state.isDone = true))
      const end = now() + maxTime
      while (!state.isDone) {
        if (now() > end) throw new Error(`a call has not settled within ${maxTime} virtual ms`)
        await world.runUntil(now() + step)
      }
      return working
    },
    settle: () => world.runUntil(now() + settlingTime),
  }
}
