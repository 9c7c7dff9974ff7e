import type { Client } from '../local/client.ts'
import { acceptsNoRunId } from '../nodes/node.ts'
import { identityKey, runKey } from '../protocol/keys.ts'
import type { ScriptCall } from '../protocol/script.ts'
import { stopwatch } from '../util/clock.ts'

// Each server stores a random id and returns it with every reply, which costs no request. So the
// answers of one server are recognised whatever urls lead to it, also if a url leads elsewhere later.

// The minimum time for which a volatile node abstains, in ms. After it, counters that restart from a
// clock that is up to 5 s off are above those that were lost.
const minQuarantine = 11_000

// Ms for which the id of a server with key locking is remembered: all calls that ask for it share a key,
// for which they would wait.
const maxAge = 60_000

// Characters of an identity that is remembered: more than any that this library makes.
const maxLength = 100

/** Makes the node report its identity, and a volatile node abstain after a restart. */
export const askIdentity = (
  call: ScriptCall,
  { nodes, cache, prefix, maxTtl, driftFactor }: Client,
  index: number,
): ScriptCall => {
  const { args, keys } = call
  const { volatile, keyLocking } = nodes[index]!
  const known = cache.servers[index]
  // A volatile node is always asked, since it stores the run of its server beside its identity.
  if (keyLocking && !volatile && known && known.age() < maxAge) return call
  // The server adopts this id unless it has one. The index keeps the ids of two nodes apart where a
  // test has replaced `crypto`.
  const id = index + crypto.randomUUID()
  const identity = prefix + identityKey
  if (!volatile) return { ...call, keys: [...keys, identity], args: [...args, id] }
  // Every lock that the node may have granted has expired by the end of the quarantine.
  const quarantine = Math.ceil(Math.max(maxTtl * (1 + driftFactor), minQuarantine))
  const noRunId = volatile === acceptsNoRunId ? ['1'] : []
  return {
    ...call,
    keys: [...keys, prefix + runKey, identity],
    args: [...args, id, `${quarantine}`, ...noRunId],
  }
}

/** The identity of the server that has answered: the one it told, or else the one that is remembered. */
export const noteIdentity = (
  { nodes, cache: { servers }, clock }: Client,
  index: number,
  id: string | undefined,
): string | undefined => {
  if (!nodes[index]!.keyLocking) return id
  if (id && !id[maxLength]) servers[index] = { id, age: stopwatch(clock) }
  return id ?? servers[index]?.id
}

/** Forgets the server of a node that has failed, since the url may lead to another one. */
export const forgetIdentity = ({ cache: { servers } }: Client, index: number): void => {
  servers[index] = undefined
}
