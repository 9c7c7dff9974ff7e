import { Redlock, type RedlockOptions } from '../../src/index.ts'
import { memoryNodes } from '../../src/testing/index.ts'
import type { Clock } from '../../src/util/clock.ts'
import { randomFrom } from '../../tools/random.ts'
import { makeEventLoop } from '../../verification/simulation/engine/event-loop.ts'
import { makeTrace } from '../../verification/simulation/engine/trace.ts'

export type Strategy = NonNullable<RedlockOptions['strategy']>

/** Clients far from five servers, in a virtual world where only the network takes time. */
export type VirtualClients = {
  readonly clients: readonly Redlock[]
  /** Ms since the world began. */
  readonly now: () => number
  readonly sent: () => number
  /** Lets time pass until the work is done. */
  readonly until: <T>(work: Promise<T>) => Promise<T>
  /** Lets time pass until no client sends anything. */
  readonly settle: () => Promise<void>
}

// The first moment on the clocks of the clients and the servers.
const epoch = 1_800_000_000_000
// How often the end of work is checked, in ms.
const step = 0.25
// Ms within which everything that follows from a call is over.
const settlingTime = 2_000

/** Opens clients. The same seed gives the same events; each way takes 3 to 10 ms, as elsewhere. */
export const openVirtualClients = (
  seed: number,
  count: number,
  strategy: Strategy,
): VirtualClients => {
  const random = randomFrom(seed)
  const world = makeEventLoop(random, makeTrace(false))
  const { now } = world
  const later = (delay: number, run: () => void): (() => void) =>
    world.after(delay, () => {
      world.wake()
      run()
    })
  const way = (): Promise<void> => new Promise((resolve) => later(random.between(3, 10), resolve))
  const clock: Clock = {
    wall: () => epoch + Math.floor(now()),
    monotonic: now,
    setTimer: (callback, delay) => later(delay, callback),
  }
  const servers = memoryNodes(5, { now: () => epoch + now() })
  let sent = 0
  const nodes = servers.map((server) => ({
    name: server.name,
    run: async (...call: Parameters<typeof server.run>) => {
      sent++
      await way()
      const reply = await server.run(...call)
      await way()
      return reply
    },
  }))
  const options = { nodes, clock, random: random.unit, strategy, ttl: 30_000 }
  return {
    clients: Array.from({ length: count }, () => new Redlock(options)),
    now,
    sent: () => sent,
    until: async (work) => {
      const state = { isDone: false }
      const working = work.finally(() => (state.isDone = true))
      while (!state.isDone) await world.runUntil(now() + step)
      return working
    },
    settle: () => world.runUntil(now() + settlingTime),
  }
}
