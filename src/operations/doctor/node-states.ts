import { clientOf, type Redlock } from '../../client/redlock.ts'

/** The state of one node, as observed by this isolate. */
export type NodeState = {
  /** The name of the node. */
  readonly node: string
  /** The duration of the node's last request, in ms; undefined before its first reply in time. */
  readonly latency: number | undefined
  /** Whether the node is so much slower than the other nodes that no call waits for it. */
  readonly isSlow: boolean
  /** The time since the node failed, in ms; undefined if the node is up. */
  readonly downFor: number | undefined
}

/**
 * Returns the state of each node of a `Redlock`, as this isolate observed it in previous calls. Sends no requests.
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
