/**
 * How one node answered:
 *
 * - `granted`: it granted or confirmed the lock;
 * - `held`: you hold the lock that it was asked about;
 * - `released`: it has released the lock;
 * - `accepted`: it has the answer of a claim;
 * - `forgotten`: it has forgotten the holder, by force;
 * - `locked`: another owner holds a key;
 * - `foreign`: a key holds no lock of this library, or never expires;
 * - `quarantined`: it restarted lately and abstains;
 * - `absent`: it does not have a key;
 * - `duplicate`: it leads to the same server as another node, or to a copy of its data; one answer counts for both;
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

/** One node's part in an operation. It contains no secrets. */
export type NodeReport = {
  /** The name of the node. */
  readonly node: string
  readonly status: NodeStatus
  /** Ms until the holder's lock expires on this node, or until its quarantine ends. */
  readonly ttl?: number | undefined
  /** Where the node is locked: an id that tells holders apart. */
  readonly holder?: string | undefined
  /** Where the node is locked: the metadata that the holder gave. */
  readonly metadata?: string | undefined
  /** True where the last holder was released by force. */
  readonly wasForced?: boolean | undefined
  /** The fence counter of the keys. */
  readonly fence?: number | undefined
  /** Why the node failed, did not answer, abstains or does not count. */
  readonly error?: Error | undefined
}

/** Why nodes were not asked by a call of a request that has no more requests left. */
export const unsent = 'was not asked: the `budget` of the request is used up'

/**
 * Whether a call with `failOpen` passes: so many nodes have failed that no quorum can answer. A node that is late has
 * failed only after its timeout. A claim passes only if no node names another claim.
 *
 * @param count - How many nodes there are. `reports` has those that answered or failed.
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

/** A report of the holder on so many nodes, if one has them. */
export const quorumHolder = (
  reports: readonly (NodeReport | undefined)[],
  quorum: number,
): NodeReport | undefined =>
  reports.find(
    (one) =>
      one?.holder && reports.filter((other) => other?.holder === one.holder).length >= quorum,
  )
