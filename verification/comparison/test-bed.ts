import { randomUUID } from 'node:crypto'
import type { Contestant, Hold, Session, Setup } from './contestants/contestant.ts'
import { type Fault, sleep } from './faults.ts'
import { type FaultyNode, faultyNode, type Servers } from './nodes.ts'
import { type Outcome, settle } from './observation.ts'

/** Settings of a case that differ from the usual ones. `isWarm: false` skips the warm-up. */
type SessionOptions = Partial<Setup> & { readonly isWarm?: boolean }

/** The environment of one case and one contestant: new nodes, keys and instances. */
export type TestBed = {
  readonly contestant: Contestant
  readonly servers: Servers
  readonly nodes: readonly FaultyNode[]
  readonly key: string
  readonly freshKey: () => string
  /** An instance over the nodes and their faults, which has already made each of its calls once. */
  readonly open: (options?: SessionOptions) => Promise<Session>
  /** Another instance, as in another process, without faults in front of these nodes (default: all). */
  readonly openOther: (indexes?: readonly number[]) => Promise<Session>
  /** Opens an instance that holds the key. */
  readonly openHolder: (options?: SessionOptions) => Promise<{ session: Session; hold: Hold }>
  /** Makes another instance, without faults, hold the key on these nodes (default: all). */
  readonly holdByOther: (indexes?: readonly number[]) => Promise<{ other: Session; held: Hold }>
  /** Opens an instance, puts the fault in front of nodes, and acquires the key. */
  readonly acquireUnder: (
    fault: () => Fault,
    options: SessionOptions & { readonly limit: number; readonly indexes?: readonly number[] },
  ) => Promise<Outcome<Hold>>
  /** Puts a fault in front of these nodes, or removes it if none is given; default: all nodes. */
  readonly fail: (fault: (() => Fault) | undefined, indexes?: readonly number[]) => void
  /** The number of servers that hold a key. */
  readonly left: (key?: string) => Promise<number>
  readonly ttls: (key?: string) => Promise<number[]>
  readonly drop: (key: string, index: number) => Promise<void>
  readonly close: () => void
}

const usual = { ttl: 10_000, retries: 0, timeout: undefined, quorum: undefined }

/**
 * Makes each call once, so that scripts are loaded and a fault hits the intended call. A process that has just
 * started may be too slow for a short TTL, and tries again.
 */
const warmUp = async (session: Session, unit: number, attempts = 5): Promise<void> => {
  try {
    const hold = await session.acquire([`warm-${randomUUID()}`])
    await hold.extend(Math.max(unit, 200))
    await hold.release()
  } catch (error) {
    if (attempts <= 1) throw error
    await sleep(100)
    await warmUp(session, unit, attempts - 1)
  }
}

/**
 * Sets up the environment of one case.
 *
 * @param timeout - The timeout of one command in ms, unless the case sets one; false disables it.
 */
export const setUpTestBed = (
  contestant: Contestant,
  servers: Servers,
  timeout: number | false | undefined,
): TestBed => {
  const addresses = servers.addresses.slice(0, contestant.lacks['several nodes'] ? 1 : 3)
  const nodes = addresses.map(faultyNode)
  const sessions: Session[] = []
  const freshKey = (): string => `rivals-${randomUUID()}`
  const key = freshKey()

  const open: TestBed['open'] = async ({ isWarm = true, ...options } = {}) => {
    const setup = { ...usual, nodes, timeout: timeout || undefined, ...options }
    const session = await contestant.open(
      timeout === false ? { ...setup, timeout: undefined } : setup,
    )
    sessions.push(session)
    if (isWarm) await warmUp(session, contestant.unit)
    return session
  }
  const openOther: TestBed['openOther'] = (indexes = [...addresses.keys()]) =>
    open({ nodes: indexes.map((index) => faultyNode(addresses[index]!)) })
  const fail: TestBed['fail'] = (fault, indexes = [...nodes.keys()]) => {
    for (const index of indexes) nodes[index]!.fault = fault?.()
  }
  const ttls = async (name = key): Promise<number[]> =>
    (await servers.ttls(contestant.redisKey(name))).slice(0, nodes.length)

  return {
    contestant,
    servers,
    nodes,
    key,
    freshKey,
    open,
    openOther,
    openHolder: async (options) => {
      const session = await open(options)
      return { session, hold: await session.acquire([key]) }
    },
    holdByOther: async (indexes) => {
      const other = await openOther(indexes)
      return { other, held: await other.acquire([key]) }
    },
    acquireUnder: async (fault, { limit, indexes, ...options }) => {
      const session = await open(options)
      fail(fault, indexes)
      return settle(session.acquire([key]), limit)
    },
    fail,
    left: async (name) => (await ttls(name)).filter((ttl) => ttl > 0).length,
    ttls,
    drop: (name, index) => servers.drop(contestant.redisKey(name), index),
    close: () => {
      for (const session of sessions) session.close()
    },
  }
}
