import { Redlock, withWakeUp } from '../../src/index.ts'
import type { Address } from '../../verification/comparison/nodes.ts'
import type { Ask, World } from '../bursts/world.ts'
import { distantFetch } from '../shared/distance.ts'

// Clients that hand one lock on, with messages or without. Two clients take turns; in larger groups, each client takes
// the lock once.

/** The names of the two variants, in the table and in the targets. */
export const woken = 'with wake-up'
export const unwoken = 'without wake-up'

/** How often each client of a group takes the lock. */
export const turnsOf = (size: number): number => (size === 2 ? 20 : 1)

/** Opens clients that wait for a lock over distant gateways. */
export const openHandingOn = async (
  addresses: readonly Address[],
  isWoken: boolean,
  size: number,
): Promise<World> => {
  let requests = 0
  const counting = distantFetch(() => requests++)
  const nodes = addresses.map(({ url, token }) => ({ url, token, fetch: counting }))
  const open = (): Redlock => {
    const redlock = new Redlock({ nodes, ttl: 30_000, warnings: false })
    return isWoken ? withWakeUp(redlock) : redlock
  }
  const id = crypto.randomUUID()
  await (await open().acquire(`${id}:warm-up`)).release()
  const asks = Array.from({ length: size }, open).map((redlock): Ask => async (key) => {
    const lock = await redlock.acquire(`${id}:${key}`, { wait: 120_000 })
    return { state: 'won', release: () => lock.release() }
  })
  requests = 0
  return {
    clients: async () => asks,
    now: () => performance.now(),
    until: (work) => work,
    rest: async () => {},
    sent: async () => requests,
    close: async () => {},
  }
}
