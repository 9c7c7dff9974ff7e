import type { LockNode } from '../../protocol/node.ts'
import { boundedMap } from '../../util/bounded-map.ts'

/**
 * The facts that an isolate remembers about a set of nodes. The cache outlives the `Redlock`, which often exists for
 * one request only, because bindings are available only in requests. The cache is plain data, because on Workers a
 * request must not wait for a promise of another request.
 */
export type IsolateCache = {
  /** The pairs of nodes that were reported to be the same server. */
  readonly duplicates: Set<string>
  /**
   * The time that each node's last answer took, by index, in ms; Infinity if it took much longer than the other nodes.
   * A node with Infinity is still asked, but rounds do not wait for it.
   */
  readonly roundTrips: (number | undefined)[]
  /** The time that each node's last answer took, however long, by index, in ms. */
  readonly latencies: (number | undefined)[]
  /** When each node failed, by index, in ms of the monotonic clock; Infinity once the node has answered again. */
  readonly downSince: number[]
  /** The time that a quorum last took to answer, in ms; undefined until a quorum has answered. */
  took: number | undefined
  /** The unanswered requests of each node, by index. */
  readonly silences: readonly Silence[]
  /**
   * Distinguishes the throttle windows of this cache from those of other caches. If it is 0, no windows are cached,
   * because a node without a scope cannot be recognized.
   */
  readonly number: number
}

/** The requests that a node has not answered since its last answer. All times are in ms of the monotonic clock. */
type Silence = {
  /** The number of these requests that are overdue. */
  overdue: number
  isOpen: boolean
  /** When the first of these requests was sent, if `isOpen`. */
  since: number
  askedAt: number
  /**
   * When the last request before the node's last answer was sent; -Infinity if the node has since failed in a way other
   * than a timeout.
   */
  heardAt: number
}

// The caches of an isolate take at most 1 MiB: on Workers, an isolate has 128 MB, most of which the application needs.
// A cache takes about `cacheBytes` on V8, plus `nodeBytes` for each node, not counting names.
const known = boundedMap<IsolateCache>(2 ** 20)
const [cacheBytes, nodeBytes] = [600, 250]
let caches = 0

const newCache = (nodes: readonly LockNode[], number: number): IsolateCache => ({
  duplicates: new Set(),
  roundTrips: [],
  latencies: [],
  downSince: [],
  took: undefined,
  silences: nodes.map(() => ({
    overdue: 0,
    isOpen: false,
    since: 0,
    askedAt: 0,
    heardAt: -Infinity,
  })),
  number,
})

/** The cache for these nodes, which their keyspace identifies. If a node has no scope, the cache is new. */
export const isolateCacheFor = (nodes: readonly LockNode[], keyspace: string): IsolateCache => {
  if (nodes.some(({ scope }) => scope === undefined)) return newCache(nodes, 0)
  const cache = known.get(keyspace) ?? newCache(nodes, ++caches)
  // Setting the entry again makes it the most recent one.
  known.set(keyspace, cache, cacheBytes + nodes.length * nodeBytes)
  return cache
}

// A node that drops packets ties up a connection for seconds with each request. So after `maxOverdue` overdue requests
// in a row, the node is asked at most once per `interval`, in ms. Each request counts only once it is overdue itself,
// because one lost answer does not mean that a burst of later requests is lost.
const maxOverdue = 16
const interval = 250

/** The time after which a request is overdue, in ms, unless its timeout is shorter. */
export const overdueAfter = 500

type Cached = { readonly cache: IsolateCache }

const isSilent = ({ overdue }: Silence): boolean => overdue >= maxOverdue

/**
 * Whether to leave a node alone because it does not answer, although a quorum of the others does. If too few others
 * answer, the node may be needed, or this process itself may be cut off or busy.
 */
export const isLeftAlone = (
  { cache: { silences }, quorum }: Cached & { readonly quorum: number },
  index: number,
  now: number,
): boolean => {
  const silence = silences[index]!
  if (!isSilent(silence) || now - silence.askedAt >= interval) return false
  // A node counts as answering for one second after the last request that it answered, because a process may send
  // requests only rarely.
  const answers = (other: Silence): boolean =>
    now - other.heardAt < 4 * interval && !isSilent(other)
  return silences.filter(answers).length >= quorum
}

/** Notes a request to a node. `now` is the time of the monotonic clock. */
export const noteAsked = ({ cache: { silences } }: Cached, index: number, now: number): void => {
  const silence = silences[index]!
  silence.askedAt = now
  if (silence.isOpen) return
  silence.isOpen = true
  silence.since = now
}

/** Notes that a request to a node is overdue. */
export const noteOverdue = ({ cache: { silences } }: Cached, index: number): void => {
  silences[index]!.overdue++
}

/** Notes that a node has answered, or has failed immediately. */
export const noteHeard = ({ cache }: Cached, index: number, isDown: boolean = false): void => {
  const silence = cache.silences[index]!
  silence.overdue = 0
  silence.isOpen = false
  // Using the time of the request avoids reading the clock.
  silence.heardAt = isDown ? -Infinity : silence.askedAt
}
