import type { LockNode } from '../nodes/node.ts'
import { setBounded } from '../util/bounded-map.ts'

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
  /** The throttle windows that are closed, by their keys. */
  readonly closedWindows?: Map<string, ClosedWindow>
}

/** The identity of a server. */
export type KnownServer = {
  readonly id: string
  /** Reads how many ms ago the server was asked. */
  readonly age: () => number
}

/** A throttle window that was found closed. */
export type ClosedWindow = {
  /** Reads for how many ms the window certainly stays closed. */
  readonly left: () => number
  /** The holder of the window; undefined where a call of this isolate passed. */
  readonly holder?: string | undefined
  /** Reads how many ms ago this holder was first seen. */
  readonly age: () => number
}

const maxCaches = 100
const maxWindows = 10_000

// Caches of nodes with a custom fetch are kept apart: where the function is made anew for each request,
// there are many, and they must not displace the others.
const [caches, customCaches] = [new Map<string, IsolateCache>(), new Map<string, IsolateCache>()]

/**
 * The cache for these nodes under this prefix. Where a node has no scope, the cache is new and without
 * windows, since nothing tells which server's clock closes them.
 */
export const isolateCacheFor = (nodes: readonly LockNode[], prefix: string): IsolateCache => {
  const scopes = nodes.map(({ scope }) => scope)
  if (scopes.includes(undefined)) return { servers: [], duplicates: new Set(), slow: [] }
  const id = JSON.stringify([prefix, ...scopes])
  const map = scopes.some((scope) => scope!.includes('/')) ? customCaches : caches
  const cache = map.get(id) ?? {
    servers: [],
    duplicates: new Set(),
    slow: [],
    closedWindows: new Map(),
  }
  setBounded(map, id, cache, maxCaches)
  return cache
}

/** Remembers that a throttle window is closed. */
export const rememberWindow = (cache: IsolateCache, id: string, window: ClosedWindow): void => {
  if (cache.closedWindows) setBounded(cache.closedWindows, id, window, maxWindows)
}
