import type { LockNode } from '../nodes/node.ts'
import { BoundedMap } from '../util/bounded-map.ts'

/**
 * The facts that an isolate remembers about a set of nodes. The cache outlives the `Redlock`, which
 * often lives only for one request, since bindings exist only in a request. It is plain data, since on
 * Workers one request must not wait for a promise of another.
 */
export type IsolateCache = {
  /** The identities of servers that are not asked each time, by the index of the node. */
  readonly servers: (KnownServer | undefined)[]
  /** The pairs of nodes that were reported to be one server. */
  readonly duplicates: Set<string>
  /**
   * The ms that the node last took, by its index; Infinity if that was much longer than the others took. Such a
   * node is still asked, but not waited for.
   */
  readonly roundTrips: (number | undefined)[]
  /** How often a node has failed, by its index; -Infinity once it has answered. */
  readonly failures: number[]
  /** The ms that a quorum last took to answer; undefined before. */
  took: number | undefined
  /** The requests that a node has left without an answer, by its index. */
  readonly silences: readonly Silence[]
  /** Tells its throttle windows from those of other sets of nodes. */
  readonly number: number
  /** The throttle windows that are closed, in the memory that all sets of nodes share. */
  readonly windows?: Windows
}

type Windows = BoundedMap<ClosedWindow>

/** The requests to a node since it last answered, and when the first and the last of them were sent, in ms. */
export type Silence = {
  unanswered: number
  since: number
  askedAt: number
  /** Whether the last request that ended has failed, other than by its timeout. */
  isDown: boolean
}

/** The identity of a server. */
export type KnownServer = {
  readonly id: string
  /** Reads how many ms ago the server was asked. */
  readonly age: () => number
}

/** A throttle window that was found closed. */
export type ClosedWindow = {
  /** Reads the ms since the call began that found it closed. */
  readonly elapsed: () => number
  /** For how many ms from then it is known to stay closed, and after how many it opens. */
  readonly closedFor: number
  readonly opensAfter: number
}

// An isolate has 128 MB on Workers, most of which belongs to the application.
const [maxCacheBytes, maxWindowBytes] = [2 ** 20, 2 ** 22]

// The bytes of entries on V8, without their names: a cache without its nodes, one node, and a window with
// its two clocks.
const [cacheBytes, nodeBytes] = [600, 250]
export const windowBytes = 700

const newMemory = () => ({
  caches: new BoundedMap<IsolateCache>(maxCacheBytes),
  windows: new BoundedMap<ClosedWindow>(maxWindowBytes),
})

// Caches of nodes with a custom fetch are kept apart: where the function is made anew for each request,
// there are many, and they must not displace the others.
const [memory, customMemory] = [newMemory(), newMemory()]
let caches = 0

const newCache = (nodes: readonly LockNode[], number: number, windows?: Windows): IsolateCache => ({
  servers: [],
  duplicates: new Set(),
  roundTrips: [],
  failures: [],
  took: undefined,
  silences: nodes.map(() => ({ unanswered: 0, since: 0, askedAt: 0, isDown: false })),
  number,
  ...(windows && { windows }),
})

/**
 * The cache for these nodes, whose keyspace this is. Where a node has no scope, the cache is new and without
 * windows, since nothing tells which server's clock closes them.
 */
export const isolateCacheFor = (nodes: readonly LockNode[], keyspace: string): IsolateCache => {
  const scopes = nodes.map(({ scope }) => scope)
  if (scopes.includes(undefined)) return newCache(nodes, 0)
  const { caches: known, windows } = scopes.some((scope) => scope!.includes('/'))
    ? customMemory
    : memory
  const cache = known.get(keyspace) ?? newCache(nodes, ++caches, windows)
  // Setting it again makes it the newest.
  known.set(keyspace, cache, cacheBytes + nodes.length * nodeBytes)
  return cache
}
