import type { LockNode } from '../nodes/node.ts'
import { BoundedMap } from '../util/bounded-map.ts'
import type { Clock } from '../util/clock.ts'

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
   * Whether the node took much longer than the others when it was last asked, by its index. Such a node
   * is still asked, but not waited for.
   */
  readonly slow: boolean[]
  /** The requests that a node has left without an answer, by its index. */
  readonly unanswered: (Unanswered | undefined)[]
  /** Tells its throttle windows from those of other sets of nodes. */
  readonly number: number
  /** The throttle windows that are closed, in the memory that all sets of nodes share. */
  readonly windows?: Windows
}

type Windows = { readonly byName: BoundedMap<ClosedWindow>; sweptAt: number }

/** The requests to a node since it last answered, and when the first and the last of them were sent, in ms. */
export type Unanswered = {
  readonly count?: number
  readonly since?: number
  readonly askedAt?: number
  /** Whether the last request that ended has failed, other than by its timeout. */
  readonly isDown: boolean | undefined
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
  /** For how many ms from then it certainly stays closed, and after how many it is over. */
  readonly certain: number
  readonly over: number
  /** The holder of the window; undefined where a call of this isolate passed. */
  readonly holder?: string | undefined
  /** Reads how many ms ago this holder was first seen. */
  readonly age: () => number
}

// An isolate has 128 MB on Workers, most of which belongs to the application.
const [maxCacheBytes, maxWindowBytes] = [2 ** 20, 2 ** 22]

// The bytes of entries on V8, without their names: a cache without its nodes, one node, and a window with
// its two clocks.
const [cacheBytes, nodeBytes, windowBytes] = [600, 250, 700]

// Ms from one search for windows that are over to the next. It reads the clocks for each window.
const sweepInterval = 10_000

const newMemory = () => ({
  caches: new BoundedMap<IsolateCache>(maxCacheBytes),
  windows: { byName: new BoundedMap<ClosedWindow>(maxWindowBytes), sweptAt: -Infinity },
})

// Caches of nodes with a custom fetch are kept apart: where the function is made anew for each request,
// there are many, and they must not displace the others.
const [memory, customMemory] = [newMemory(), newMemory()]
let caches = 0
// Most isolates have one set of nodes.
let lastKeyspace: string | undefined
let lastCache: IsolateCache

/**
 * The cache for these nodes, whose keyspace this is. Where a node has no scope, the cache is new and without
 * windows, since nothing tells which server's clock closes them.
 */
export const isolateCacheFor = (nodes: readonly LockNode[], keyspace: string): IsolateCache => {
  if (keyspace === lastKeyspace) return lastCache
  const scopes = nodes.map(({ scope }) => scope)
  if (scopes.includes(undefined))
    return { servers: [], duplicates: new Set(), slow: [], unanswered: [], number: 0 }
  const { caches: known, windows } = scopes.some((scope) => scope!.includes('/'))
    ? customMemory
    : memory
  const cache = known.get(keyspace) ?? {
    servers: [],
    duplicates: new Set(),
    slow: [],
    unanswered: [],
    number: ++caches,
    windows,
  }
  // Setting it again makes it the newest.
  known.set(keyspace, cache, cacheBytes + nodes.length * nodeBytes)
  lastKeyspace = keyspace
  return (lastCache = cache)
}

/** Remembers that a throttle window is closed, by a name that contains the number of the cache. */
export const rememberWindow = (
  { windows }: IsolateCache,
  name: string,
  window: ClosedWindow,
): void => windows?.byName.set(name, window, windowBytes)

/** The window as it was remembered. Forgets the windows that are over, at most once in ten seconds. */
export const findWindow = (
  { windows }: IsolateCache,
  name: string,
  clock: Clock,
): ClosedWindow | undefined => {
  if (!windows) return undefined
  const now = clock.monotonic()
  // Clients may have different clocks.
  if (Math.abs(now - windows.sweptAt) > sweepInterval) {
    windows.sweptAt = now
    windows.byName.sweep(({ elapsed, over }) => elapsed() > over)
  }
  return windows.byName.get(name)
}
