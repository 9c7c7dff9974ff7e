import { randomUUID } from 'node:crypto'
import type { Contestant, Session } from '../../verification/comparison/contestants/contestant.ts'
import { type Fault, sleep } from '../../verification/comparison/faults.ts'
import { type Address, type FaultyNode, faultyNode } from '../../verification/comparison/nodes.ts'
import { settle } from '../../verification/comparison/observation.ts'
import { remote } from '../shared/distance.ts'
import type { Ask, World } from './world.ts'

export type RealOptions = {
  readonly contestant: Contestant
  readonly addresses: readonly Address[]
  readonly size: number
  /** The fault in front of a node, by its index. Default: the distance. */
  readonly faultOf?: ((index: number) => Fault) | undefined
  /** Whether each burst has new clients, so that no script is loaded and no connection is open. */
  readonly isFresh?: boolean
  /** Whether a client asks until it has the lock. */
  readonly isPatient?: boolean
  /** Options of each acquire, in addition to those of all libraries. */
  readonly acquireOptions?: object
  /** The time after which the run gives up on a client, in ms. */
  readonly limit?: number
  /** The time without requests after which no more are expected, in ms. */
  readonly quiet?: number
}

// The time without requests after which the clients count as open, in ms.
const openingTime = 150

const ttl = 30_000

/** Opens independent clients of one library, all at a distance from real servers. */
export const openRealWorld = async ({
  contestant,
  addresses,
  size,
  faultOf = () => remote,
  isFresh = false,
  isPatient = false,
  acquireOptions = {},
  limit = 10_000,
  quiet = 150,
}: RealOptions): Promise<World> => {
  const nodes: FaultyNode[] = []
  const sessions: Session[] = []
  const pending = new Set<Promise<unknown>>()
  // Worlds share the servers, and use the same keys in their bursts.
  const id = randomUUID()
  const now = (): number => performance.now()
  const close = async (): Promise<void> => {
    // Clients that still wait must not disturb the next measurement.
    if (isPatient) await Promise.race([Promise.allSettled(pending), sleep(limit / 2)])
    for (const session of sessions) session.close()
  }

  const askOnce =
    (session: Session): Ask =>
    async (key) => {
      const acquiring = session.acquire([`${id}:${key}`], acquireOptions)
      const done = acquiring.catch(() => {}).finally(() => pending.delete(done))
      pending.add(done)
      const outcome = await settle(acquiring, limit)
      if (outcome.state === 'resolved') {
        return { state: 'won', release: () => settle(outcome.value.release(), limit) }
      }
      if (outcome.state === 'rejected') return { state: 'refused' }
      // A client that was given up must not keep the lock.
      acquiring.then((hold) => hold.release()).catch(() => {})
      return { state: 'none' }
    }
  /** A client that runs out of retries starts over immediately. */
  const askAgain =
    (ask: Ask): Ask =>
    async (key) => {
      for (const end = now() + limit; ;) {
        const answer = await ask(key)
        if (answer.state !== 'refused' || now() > end) return answer
      }
    }

  const open = async (): Promise<Ask[]> => {
    const asks: Ask[] = []
    for (let client = 0; client < size; client++) {
      const own = addresses.map(faultyNode)
      const retries = isPatient ? 1000 : 0
      const setup = { nodes: own, ttl, retries, timeout: undefined, quorum: undefined }
      const session = await contestant.open(setup)
      nodes.push(...own)
      sessions.push(session)
      if (!isFresh) await (await session.acquire([randomUUID()])).release()
      asks.push(isPatient ? askAgain(askOnce(session)) : askOnce(session))
    }
    for (const [index, node] of nodes.entries()) node.fault = faultOf(index % addresses.length)
    return asks
  }
  const sent = (): number => nodes.reduce((sum, node) => sum + node.sent, 0)
  const settled = async (quiet: number): Promise<number> => {
    // Clients that still wait after their deadline never settle.
    if (isPatient && pending.size > 0) return sent()
    for (let seen = -1; seen !== sent(); await sleep(quiet)) seen = sent()
    return sent()
  }

  try {
    const known = isFresh ? [] : await open()
    const before = isFresh ? 0 : await settled(openingTime)
    return {
      clients: isFresh ? open : async () => known,
      now,
      until: (work) => work,
      rest: async () => {},
      sent: async () => (await settled(quiet)) - before,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
