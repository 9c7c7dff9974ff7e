import type { Client } from '../local/client.ts'
import { identityKey, runKey } from '../protocol/keys.ts'
import type { ScriptCall } from '../protocol/script.ts'
import { assertOption } from '../util/validate.ts'

// Two urls of one database are two votes of one server, and a quorum of them is worthless. So each
// node stores a random id and returns it with its first reply, which costs no request. The ids of all
// nodes that count are known when a vote is read. The id of a slower node is checked by the next call.

// The minimum time for which a volatile node abstains, in ms. After it, counters that restart from a
// clock that is up to 5 s off are above those that were lost.
const minQuarantine = 11_000

/** Makes the node report its identity, and a volatile node abstain after a restart. */
export const askIdentity = (
  call: ScriptCall,
  { nodes, identities, prefix, maxTtl, driftFactor }: Client,
  index: number,
): ScriptCall => {
  const { args, keys } = call
  const { volatile } = nodes[index]!
  // A volatile node is always asked, since it stores the run of its server beside its identity.
  if (identities[index] && !volatile) return call
  // Every lock that the node may have granted has expired by the end of the quarantine.
  const quarantine = Math.ceil(Math.max(maxTtl * (1 + driftFactor), minQuarantine))
  return {
    ...call,
    keys: [...keys, ...(volatile ? [prefix + runKey] : []), prefix + identityKey],
    // With the index in front, nodes that get their identities at the same time never get equal ones.
    args: [...args, index + crypto.randomUUID(), ...(volatile ? [`${quarantine}`] : [])],
  }
}

/** Stores the identity that a node returned, for this client and the next. */
export const noteIdentity = (
  { identities, cache }: Client,
  index: number,
  identity: unknown,
): void => {
  if (identity) identities[index] = cache.identities[index] = identity
}

/** Compares the identities that are known. @throws {TypeError} when two nodes are one server. */
export const checkDistinct = ({ identities, cache, nodes }: Client): void => {
  for (let index = 0; index < identities.length; index++) {
    const id = identities[index]
    const first = identities.indexOf(id)
    if (!id || first === index) continue
    // The next client asks again, since the configuration may have been corrected.
    cache.identities.length = 0
    const names = `${nodes[first]!.name} and ${nodes[index]!.name}`
    assertOption(false, 'nodes', `independent servers: ${names} are one`, nodes)
  }
}
