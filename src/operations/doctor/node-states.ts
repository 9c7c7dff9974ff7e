import { clientOf, type Redlock } from '../../client/redlock.ts'

/** What this isolate knows of one node. */
export type NodeState = {
  /** The name of the node. */
  readonly node: string
  /** Ms that it took to answer, in the last call that it answered in time; undefined before. */
  readonly latency: number | undefined
  /** Whether it is so much slower than the others that no call waits for it. */
  readonly isSlow: boolean
  /** Ms since it failed, if it has not answered since. */
  readonly downFor: number | undefined
}

/**
 * What this isolate has learned of each node of a `Redlock` from its calls. It sends no request.
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
