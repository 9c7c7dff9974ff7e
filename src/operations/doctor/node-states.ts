import { clientOf, type Redlock } from '../../client/redlock.ts'

/** The state of one node, as observed by this isolate. */
export type NodeState = {
  /** The name of the node. */
  readonly node: string
  /** How many ms its last answer took, if it came in time; undefined until then. */
  readonly latency: number | undefined
  /** Whether it is so much slower than the others that no call waits for it. */
  readonly isSlow: boolean
  /** Ms since it failed; undefined if it is up. */
  readonly downFor: number | undefined
}

/**
 * The state of each node of a `Redlock`, as observed by this isolate in its calls. It sends no request.
 *
 * @example
 * ```ts
 * console.table(nodeStates(redlock))
 * ```
 */
export const nodeStates = (redlock: Redlock): NodeState[] => {
  const { cache, clock, nodes } = clientOf(redlock)
  const { latencies, roundTrips, downSince } = cache
  return nodes.map(({ name }, index) => {
    const { [index]: latency } = latencies
    const since = downSince[index] ?? Infinity
    return {
      node: name,
      latency: latency === undefined ? undefined : Math.round(latency),
      isSlow: roundTrips[index] === Infinity,
      downFor: since < Infinity ? Math.round(clock.monotonic() - since) : undefined,
    }
  })
}
