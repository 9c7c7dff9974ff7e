import { expect } from './expect.ts'
import type { ScriptCall } from './scripts.ts'
import type { Settings } from './settings.ts'

/**
 * Two urls of one database are two votes for one server, and so a quorum that is none. Each node
 * keeps a random id, and tells it along with its first answer: that costs no request, and whoever
 * counts two answers of one database knows it by then. An answer too late to count tells the next.
 *
 * @returns the call, with a question for the identity if that is not known yet.
 */
export const askIdentity = (
  call: ScriptCall,
  { identities, prefix }: Settings,
  index: number,
): ScriptCall => {
  const { args, keys } = call
  if (identities[index]) return call
  return {
    ...call,
    keys: [...keys, `${prefix}id`],
    // The index in front: nodes that get their identities in one go never get the same.
    args: [...args, index + crypto.randomUUID()],
  }
}

/** Checks what the nodes said they are. @throws {TypeError} when two of them are one. */
export const checkDistinct = ({ identities, nodes }: Settings): void =>
  identities.forEach((id, index) => {
    const first = identities.indexOf(id)
    const names = `${nodes[first]!.name} and ${nodes[index]!.name}`
    expect(first === index, 'nodes', `independent servers: ${names} are one`, nodes)
  })
