/**
 * The answer of one node:
 *
 * - `granted`: it granted or confirmed the lock;
 * - `held`: you hold the lock;
 * - `released`: it has released the lock;
 * - `accepted`: it has recorded the result of a claim;
 * - `forgotten`: it has removed the holder in a forced release;
 * - `locked`: another owner holds a key;
 * - `foreign`: a key holds no lock of this library, or never expires;
 * - `quarantined`: it restarted recently and abstains;
 * - `absent`: it does not have a holder for a key;
 * - `duplicate`: it leads to the same server as another node, or to a copy of that server's data; one answer counts for
 *   both;
 * - `timeout`: it did not answer in time;
 * - `error`: it failed.
 */
export type NodeStatus =
  | 'granted'
  | 'held'
  | 'released'
  | 'accepted'
  | 'forgotten'
  | 'locked'
  | 'foreign'
  | 'quarantined'
  | 'absent'
  | 'duplicate'
  | 'timeout'
  | 'error'

/** The result of an operation on one node. It contains no secrets. */
export type NodeReport = {
  /** The name of the node. */
  readonly node: string
  readonly status: NodeStatus
  /** Ms until the holder's lock expires on this node, or until the quarantine of this node ends. */
  readonly ttl?: number | undefined
  /** If the node is locked: the ID of the holder. */
  readonly holder?: string | undefined
  /** If the node is locked: the metadata of the holder. */
  readonly metadata?: string | undefined
  /** True if the last holder was removed by a forced release. */
  readonly wasForced?: boolean | undefined
  /** The fence counter of the keys. */
  readonly fence?: number | undefined
  /** Why the node failed, did not answer, abstains or does not count. */
  readonly error?: Error | undefined
}

/** The reason why a call did not ask a node: the budget is used up. */
export const unsent = 'was not asked: the `budget` of the request is used up'

/**
 * Whether a call with `failOpen` passes: too many nodes have failed for a majority to answer. A slow node counts as
 * failed only after its timeout. A claim passes only if no node names another claim.
 *
 * @param count - The total number of nodes. `reports` contains only the nodes that answered or failed.
 */
export const failsOpen = (
  kind: 'lock' | 'throttle' | 'claim',
  reports: readonly NodeReport[],
  count: number,
): boolean => {
  const failed = reports.filter(({ error }) => error && error.message !== unsent)
  const isFree = kind !== 'claim' || !reports.some(({ holder }) => holder)
  return isFree && failed.length >= count / 2
}

/** A report that names the holder of a quorum of nodes; undefined if no holder has a quorum. */
export const quorumHolder = (
  reports: readonly (NodeReport | undefined)[],
  quorum: number,
): NodeReport | undefined =>
  reports.find(
    (one) =>
      one?.holder && reports.filter((other) => other?.holder === one.holder).length >= quorum,
  )
