import type { Settings } from '../options/resolve-options.ts'
import type { ScriptCall } from '../protocol/script.ts'
import { expect } from '../util/validate.ts'

/**
 * Two urls of one database are two votes for one server, and so a quorum that is none. Each node
 * keeps a random id, and tells it along with its first answer: that costs no request, and whoever
 * counts two answers of one database knows it by then. An answer too late to count tells the next.
 *
 * A volatile node is always asked: it notes the run of its server beside its identity.
 *
 * @returns the call, with a question for the identity if that is needed.
 */
export const askIdentity = (
  call: ScriptCall,
  { nodes, identities, prefix, maxTtl, driftFactor }: Settings,
  index: number,
): ScriptCall => {
  const { args, keys } = call
  const { volatile } = nodes[index]!
  if (identities[index] && !volatile) return call
  // All that was granted has expired then; and counters that start anew by a clock that is up to
  // 5 s off lie above those that were lost.
  const quarantine = Math.ceil(Math.max(maxTtl * (1 + driftFactor), 11_000))
  return {
    ...call,
    keys: [...keys, ...(volatile ? [`${prefix}run`] : []), `${prefix}id`],
    // The index in front: nodes that get their identities in one go never get the same.
    args: [...args, index + crypto.randomUUID(), ...(volatile ? [`${quarantine}`] : [])],
  }
}

/** Notes what a node said it is in its reply, for this client and the next. */
export const noteIdentity = (
  { identities, memory }: Settings,
  index: number,
  reply: unknown,
): void => {
  const identity = (reply as unknown[])[5]
  if (identity) identities[index] = memory.identities[index] = identity
}

/** Checks what the nodes said they are. @throws {TypeError} when two of them are one. */
export const checkDistinct = ({ identities, memory, nodes }: Settings): void => {
  for (let index = 0; index < identities.length; index++) {
    const id = identities[index]
    const first = identities.indexOf(id)
    if (!id || first === index) continue
    // It may be put right: the next client is to ask again.
    memory.identities.length = 0
    const names = `${nodes[first]!.name} and ${nodes[index]!.name}`
    expect(false, 'nodes', `independent servers: ${names} are one`, nodes)
  }
}
