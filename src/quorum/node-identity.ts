import type { Client } from '../local/client.ts'
import { identityKey, runKey } from '../protocol/keys.ts'
import type { ScriptCall } from '../protocol/script.ts'

// Each server stores a random id and returns it with every reply, which costs no request. So the
// answers of one server are recognised whatever urls lead to it, also if a url leads elsewhere later.

// The minimum time for which a volatile node abstains, in ms. After it, counters that restart from a
// clock that is up to 5 s off are above those that were lost.
const minQuarantine = 11_000

/** Makes the node report its identity, and a volatile node abstain after a restart. */
export const askIdentity = (
  call: ScriptCall,
  { nodes, prefix, maxTtl, driftFactor }: Client,
  index: number,
): ScriptCall => {
  const { args, keys } = call
  const { volatile } = nodes[index]!
  // Every lock that the node may have granted has expired by the end of the quarantine.
  const quarantine = Math.ceil(Math.max(maxTtl * (1 + driftFactor), minQuarantine))
  return {
    ...call,
    keys: [...keys, ...(volatile ? [prefix + runKey] : []), prefix + identityKey],
    // The id that the server adopts unless it has one.
    args: [...args, crypto.randomUUID(), ...(volatile ? [`${quarantine}`] : [])],
  }
}
