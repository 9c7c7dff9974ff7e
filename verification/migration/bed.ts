import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { expect, onTestFinished, vi } from 'vitest'
import { Redlock, type RedlockOptions, withKeyNames } from '../../src/index.ts'
import { type Cluster, startCluster } from '../../tools/servers/cluster.ts'
import type { Contestant, Session } from '../comparison/contestants/contestant.ts'
import type { Fault } from '../comparison/faults.ts'
import { type Address, addressesOf, faultyNode } from '../comparison/nodes.ts'
import { restFetch } from '../comparison/transports.ts'

/** The servers that this library and another one share, with clients of both. */
export type Bed = {
  readonly addresses: readonly Address[]
  /** This library on these servers, with `faults` in front of them, by index. */
  readonly own: (
    options: Omit<RedlockOptions, 'nodes'> & { readonly keyName?: (key: string) => string },
    given?: {
      readonly indexes?: readonly number[]
      readonly faults?: readonly (Fault | undefined)[]
    },
  ) => Redlock
  /** Another library, as in a separate process. It is closed when the test has finished. */
  readonly open: (
    contestant: Contestant,
    given?: {
      readonly ttl?: number
      readonly indexes?: readonly number[]
      readonly faults?: readonly (Fault | undefined)[]
    },
  ) => Promise<Session>
  /** The value of a key on each server, and its remaining ms. */
  readonly stored: (key: string) => Promise<(string | null)[]>
  readonly left: (key: string) => Promise<number[]>
  /**
   * Waits until every server holds a key, for at least some ms, or until none does. An operation ends when a majority
   * has replied, and reaches the last server later.
   */
  readonly untilHeld: (key: string, atLeast?: number) => Promise<void>
  readonly untilFree: (key: string) => Promise<void>
  readonly close: () => Promise<void>
}

const all = [0, 1, 2]

// The answer of PTTL for a key that does not exist.
const missing = -2

/** Starts three real servers, each behind a gateway. */
export const startBed = async (): Promise<Bed> => {
  const cluster: Cluster = await startCluster({ count: all.length })
  // In order of name, like the nodes of this library.
  const addresses = addressesOf(cluster).sort((a, b) => (a.url < b.url ? -1 : 1))
  const readers = addresses.map(({ host, port }) => new Redis({ host, port }))
  const left = (key: string): Promise<number[]> =>
    Promise.all(readers.map((redis) => redis.pttl(key)))
  return {
    addresses,
    own: ({ keyName, ...options }, { indexes = all, faults = [] } = {}) => {
      const nodes = indexes.map((index) => {
        const { url, token } = addresses[index]!
        const node = faultyNode(addresses[index]!)
        node.fault = faults[index]
        return { url, token, fetch: restFetch(node) }
      })
      const redlock = new Redlock({ ttl: 10_000, ...options, nodes })
      return keyName ? withKeyNames(redlock, keyName) : redlock
    },
    open: async (contestant, { ttl = 10_000, indexes = all, faults = [] } = {}) => {
      const nodes = indexes.map((index) => faultyNode(addresses[index]!))
      for (const [index, node] of nodes.entries()) node.fault = faults[index]
      const session = await contestant.open({
        nodes,
        ttl,
        retries: 0,
        timeout: undefined,
        quorum: undefined,
      })
      onTestFinished(() => session.close())
      return session
    },
    stored: (key) => Promise.all(readers.map((redis) => redis.get(key))),
    left,
    untilHeld: (key, atLeast = 0) =>
      vi.waitFor(async () => {
        expect(Math.min(...(await left(key)))).toBeGreaterThan(atLeast)
      }, 10_000),
    untilFree: (key) =>
      vi.waitFor(async () => expect(Math.max(...(await left(key)))).toBe(missing), 10_000),
    close: async () => {
      for (const redis of readers) redis.disconnect()
      await cluster.close()
    },
  }
}

/** A key that no other test uses. */
export const freshKey = (): string => `report-${randomUUID()}`

/** Whether another library has rejected the call. Each has its own error for that. */
export const isRejected = async (acquiring: Promise<unknown>): Promise<boolean> => {
  try {
    await acquiring
    return false
  } catch {
    return true
  }
}
