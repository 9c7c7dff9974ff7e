import type { Client, RequestsLeft } from '../local/client.ts'
import type { AcquireCallOptions, WaitUntil } from '../options/call-options.ts'
import { locks, type Namespace, ownerKeys } from '../protocol/keys.ts'
import { minTtl } from '../util/validate.ts'

/** One secret on one set of keys: what an attempt asks the nodes for, and what a lock then holds. */
export type Lease = {
  readonly client: Client
  readonly namespace: Namespace
  readonly keys: readonly string[]
  /** The Redis keys that hold it, one for each of `keys`. */
  readonly ownerKeys: readonly string[]
  /** The secret that proves ownership. */
  readonly value: string
  /** The holder's description of itself; may be empty. */
  readonly metadata: string
  /** Ms that the nodes are to hold it. */
  readonly ttl: number
  readonly requests: RequestsLeft
  /**
   * By node: the number of requests that may have made it hold the lease. A request that the node has
   * refused does not count. A node with none needs no release.
   */
  readonly possibleGrants: number[]
  readonly waitUntil: WaitUntil | undefined
}

type ExistingLease = Pick<Lease, 'keys' | 'value' | 'metadata' | 'waitUntil' | 'ttl'>

/** A lease that was not acquired here: an adopted lock, or an inspection. Any node may hold it. */
export const existingLease = (client: Client, given: ExistingLease): Lease => ({
  client,
  namespace: locks,
  ownerKeys: ownerKeys(client, locks, given.keys),
  requests: { left: client.budget },
  possibleGrants: client.nodes.map(() => 1),
  ...given,
})

/** Makes the leases of one call, which share its budget of requests. */
export const leaseFactory = (
  client: Client,
  namespace: Namespace,
  keys: readonly string[],
  { ttl: wanted = client.ttl, maxHold, metadata = '', waitUntil }: AcquireCallOptions,
): (() => Lease) => {
  const { requests = { left: client.budget } } = client
  const names = ownerKeys(client, namespace, keys)
  return () => {
    // A fresh secret per attempt: the release that ends one attempt may arrive during the next, and
    // would take its lock away.
    const value = client.makeValue()
    const longest = typeof maxHold === 'function' ? maxHold() : (maxHold ?? Infinity)
    const ttl = Math.max(minTtl, Math.floor(Math.min(wanted, longest)))
    const possibleGrants = client.nodes.map(() => 0)
    return {
      client,
      namespace,
      keys,
      ownerKeys: names,
      value,
      metadata,
      ttl,
      requests,
      possibleGrants,
      waitUntil,
    }
  }
}

type Budget = Pick<Lease, 'client' | 'requests'>

/** Whether the budget allows another round once nodes have refused, so that they need no release. */
export const mayBecomeAffordable = ({ client, requests }: Budget): boolean =>
  requests.left >= 2 * client.nodes.length

/** Whether the budget allows another round, and the release of what that may grant. */
export const isAffordable = ({ client, requests }: Budget): boolean => {
  let needed = 2 * client.nodes.length
  for (const unreleased of requests.kept ?? []) needed += unreleased().length
  return requests.left >= needed
}
