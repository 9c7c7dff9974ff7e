import type { LockNode } from '../../protocol/node.ts'
import { boundedMap } from '../../util/bounded-map.ts'

/**
 * The facts that an isolate remembers about a set of nodes. The cache outlives the `Redlock`, which often lives only
 * for one request, since bindings exist only in a request. It is plain data, since on Workers a request must not wait
 * for the promise of another request.
 */
export type IsolateCache = {
  /** The pairs of nodes that were reported to be the same server. */
  readonly duplicates: Set<string>
  /**
   * The ms that each node last took, by index; Infinity if that was much longer than the others took. A node with
   * Infinity is still asked, but not waited for.
   */
  readonly roundTrips: (number | undefined)[]
  /** The ms that each node last took, however long, by index. */
  readonly latencies: (number | undefined)[]
  /** When each node failed, by index, in ms of the monotonic clock; Infinity once it has answered again. */
  readonly downSince: number[]
  /** The ms that a quorum last took to answer; undefined before the first one. */
  took: number | undefined
  /** The unanswered requests of each node, by index. */
  readonly silences: readonly Silence[]
  /**
   * Distinguishes its throttle windows from those of other sets of nodes. It is 0 if windows are not remembered, since
   * it is unknown which server's clock closes them.
   */
  readonly number: number
}

/** The requests that a node has left unanswered since its last answer. All times are monotonic, in ms. */
type Silence = {
  /** How many of its requests became overdue. */
  overdue: number
  isOpen: boolean
  /** When the first unanswered request was sent, if there is one. */
  since: number
  askedAt: number
  /**
   * When the last request before its last answer was sent; -Infinity if the node has failed since, other than by a
   * timeout.
   */
  heardAt: number
}

// An isolate on Workers has 128 MB, most of which belongs to the application. These are the bytes that an entry takes
// on V8, without names: for a cache without its nodes, and for one node.
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

/** The cache for these nodes, which have this keyspace. If a node has no scope, the cache is new. */
export const isolateCacheFor = (nodes: readonly LockNode[], keyspace: string): IsolateCache => {
  if (nodes.some(({ scope }) => scope === undefined)) return newCache(nodes, 0)
  const cache = known.get(keyspace) ?? newCache(nodes, ++caches)
  // Setting it again makes it one of the newest.
  known.set(keyspace, cache, cacheBytes + nodes.length * nodeBytes)
  return cache
}

// A node that swallows packets keeps the connection of each request for seconds. So after this many overdue requests in
// a row, a node is asked at most once per interval. Each of these requests must be overdue itself. A single lost answer
// does not imply that the requests of the following crowd are lost.
const maxOverdue = 16
const interval = 250

/** The ms after which a request is overdue, unless its timeout is shorter. */
export const overdueAfter = 500

type Cached = { readonly cache: IsolateCache }

const isSilent = ({ overdue }: Silence): boolean => overdue >= maxOverdue

/**
 * Whether to leave a node alone, since it does not answer although a quorum of the others does. If too few others
 * answer, the node may be needed, or this process may be the one that is cut off or busy.
 */
export const isLeftAlone = (
  { cache: { silences }, quorum }: Cached & { readonly quorum: number },
  index: number,
  now: number,
): boolean => {
  const silence = silences[index]!
  if (!isSilent(silence) || now - silence.askedAt >= interval) return false
  // A node counts as answering for a second after the last request that it answered, since a process may send requests
  // rarely.
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

/** Notes that a node has answered, or has failed immediately. */
export const noteHeard = ({ cache }: Cached, index: number, isDown: boolean = false): void => {
  const silence = cache.silences[index]!
  silence.overdue = 0
  silence.isOpen = false
  // The time of the request is used, since this avoids reading the clock.
  silence.heardAt = isDown ? -Infinity : silence.askedAt
}
