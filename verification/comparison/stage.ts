import { randomUUID } from 'node:crypto'
import type { Contestant, Session, Setup } from './contestants/contestant.ts'
import { type Fault, sleep } from './faults.ts'
import { type FaultyNode, faultyNode, type Servers } from './nodes.ts'

/** What a case wants to be different. `timeout` is for one command, where the stage allows any. */
export type Wish = Partial<Setup> & { readonly isWarm?: boolean }

/** Where one case of one contestant plays: fresh nodes, fresh keys, fresh instances. */
export type Stage = {
  readonly contestant: Contestant
  readonly servers: Servers
  readonly nodes: readonly FaultyNode[]
  readonly key: string
  readonly freshKey: () => string
  /** An instance over the nodes, with their faults. It has made each of its steps once before. */
  readonly open: (wish?: Wish) => Promise<Session>
  /** Another one, as in another process: its way to these servers (default: all) has no faults. */
  readonly openOther: (indexes?: readonly number[]) => Promise<Session>
  /** Puts the fault (none: takes it away) before these nodes; default: before all. */
  readonly fail: (fault: (() => Fault) | undefined, indexes?: readonly number[]) => void
  /** On how many of the servers a key is. */
  readonly left: (key?: string) => Promise<number>
  readonly ttls: (key?: string) => Promise<number[]>
  readonly drop: (key: string, index: number) => Promise<void>
  readonly close: () => void
}

const usual = { ttl: 10_000, retries: 0, timeout: undefined, quorum: undefined }

/**
 * Each of its steps once, so that scripts are loaded and a fault meets the step it is meant for.
 * No fault is there yet; but a process that has just started is slow, and the ttl may be short.
 */
const warmUp = async (session: Session, unit: number, tries = 5): Promise<void> => {
  try {
    const hold = await session.acquire([`warm-${randomUUID()}`])
    await hold.extend(Math.max(unit, 200))
    await hold.release()
  } catch (error) {
    if (tries <= 1) throw error
    await sleep(100)
    await warmUp(session, unit, tries - 1)
  }
}

/** `timeout`: ms for one command, where the case says nothing else; false forbids any. */
export const setStage = (
  contestant: Contestant,
  servers: Servers,
  timeout: number | false | undefined,
): Stage => {
  const addresses = servers.addresses.slice(0, contestant.lacks['several nodes'] ? 1 : 3)
  const nodes = addresses.map(faultyNode)
  const sessions: Session[] = []
  const freshKey = (): string => `rivals-${randomUUID()}`
  const key = freshKey()

  const open = async ({ isWarm = true, ...wish }: Wish = {}): Promise<Session> => {
    const setup = { ...usual, nodes, timeout: timeout || undefined, ...wish }
    const session = await contestant.open(
      timeout === false ? { ...setup, timeout: undefined } : setup,
    )
    sessions.push(session)
    if (isWarm) await warmUp(session, contestant.unit)
    return session
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
    openOther: (indexes = [...addresses.keys()]) =>
      open({ nodes: indexes.map((index) => faultyNode(addresses[index]!)) }),
    fail: (fault, indexes = [...nodes.keys()]) => {
      for (const index of indexes) nodes[index]!.fault = fault?.()
    },
    left: async (name) => (await ttls(name)).filter((ttl) => ttl > 0).length,
    ttls,
    drop: (name, index) => servers.drop(contestant.redisKey(name), index),
    close: () => {
      for (const session of sessions) session.close()
    },
  }
}
