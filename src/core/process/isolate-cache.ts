import type { LockNode } from '../../protocol/node.ts'
import { boundedMap } from '../../util/bounded-map.ts'

/**
 * The facts that an isolate remembers about a set of nodes. The cache outlives the `Redlock`, which
 * often lives only for one request, since bindings exist only in a request. It is plain data, since on
 * Workers one request must not wait for a promise of another.
 */
export type IsolateCache = {
  /** The pairs of nodes that were reported to be one server. */
  readonly duplicates: Set<string>
  /**
   * The ms that the node last took, by its index; Infinity if that was much longer than the others took. Such a
   * node is still asked, but not waited for.
   */
  readonly roundTrips: (number | undefined)[]
  /** The ms that the node last took, however long, by its index. */
  readonly latencies: (number | undefined)[]
  /** When a node failed that has not answered since, by its index: monotonic, in ms; Infinity once it has answered. */
  readonly downSince: number[]
  /** The ms that a quorum last took to answer; undefined before. */
  took: number | undefined
  /** What a node has left without an answer, by its index. */
  readonly silences: readonly Silence[]
  /**
   * Tells its throttle windows from those of other sets of nodes; 0 where windows are not remembered, since
   * nothing tells which server's clock closes them.
   */
  readonly number: number
}

/** What a node has left without an answer since it last answered. All times are monotonic, in ms. */
type Silence = {
  /** How many of its requests became overdue. */
  overdue: number
  isOpen: boolean
  /** When the first request was sent that it has not answered, if there is one. */
  since: number
  askedAt: number
  /** When the node was asked that last answered; -Infinity if it has failed since, other than by a timeout. */
  heardAt: number
}

// An isolate has 128 MB on Workers, most of which belongs to the application. These are the bytes of entries
// on V8, without their names: of a cache without its nodes, and of one node.
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

/** The cache for these nodes, whose keyspace this is. Where a node has no scope, the cache is new. */
export const isolateCacheFor = (nodes: readonly LockNode[], keyspace: string): IsolateCache => {
  if (nodes.some(({ scope }) => scope === undefined)) return newCache(nodes, 0)
  const cache = known.get(keyspace) ?? newCache(nodes, ++caches)
  // Setting it again makes it one of the newest.
  known.set(keyspace, cache, cacheBytes + nodes.length * nodeBytes)
  return cache
}

// A node that swallows packets keeps the connection of each request for seconds. So a node that leaves this many
// requests in a row overdue is asked no more often than once in an interval. Each of them has to be that old
// itself: one lost answer says nothing about the requests of a crowd that follows it.
const maxOverdue = 16
const interval = 250

/** The ms after which a request is overdue, unless its timeout is shorter. */
export const overdueAfter = 500

type Cached = { readonly cache: IsolateCache }

const isSilent = ({ overdue }: Silence): boolean => overdue >= maxOverdue

/**
 * Whether a node is better left alone, since it does not answer although a quorum of the others does.
 * Where too few others do, it may be needed, or this process is the one that is cut off or busy.
 */
export const isLeftAlone = (
  { cache: { silences }, quorum }: Cached & { readonly quorum: number },
  index: number,
  now: number,
): boolean => {
  const silence = silences[index]!
  if (!isSilent(silence) || now - silence.askedAt >= interval) return false
  // For a second after the request that it answered last, a node counts as one that answers: a process may ask seldom.
  const answers = (other: Silence): boolean =>
    now - other.heardAt < 4 * interval && !isSilent(other)
  return silences.filter(answers).length >= quorum
}

/** Notes that a node is asked. `now` is the time of the monotonic clock. */
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

/** Notes that a node has answered, or has failed at once. */
export const noteHeard = ({ cache }: Cached, index: number, isDown: boolean = false): void => {
  const silence = cache.silences[index]!
  silence.overdue = 0
  silence.isOpen = false
  // The time of the request, which spares a look at the clock.
  silence.heardAt = isDown ? -Infinity : silence.askedAt
}
