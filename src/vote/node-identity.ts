import type { Client } from '../local/client.ts'
import { acceptsNoRunId } from '../nodes/node.ts'
import { runKey } from '../protocol/keys.ts'
import { type KeyLockedScript, type ScriptCall, withKeyLocking } from '../protocol/script.ts'
import { stopwatch } from '../util/clock.ts'
import type { Answer } from './tally.ts'

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

// Ids need to be unique, not secret: a random one per isolate, and a number.
let isolate: string | undefined
let ids = 0

/**
 * The end of the ids that servers adopt unless they have one; each begins with another number. It has 32 random
 * bits. An id of no more than 12 characters is joined by engines without a tree of strings. Two servers with one
 * id would share a vote, which is safe.
 */
export const newIdentity = (): string => {
  isolate ??= crypto.randomUUID().slice(0, 8)
  ids = (ids + 1) % 36 ** 3
  return isolate + ids.toString(36)
}

/**
 * The call as a node with options needs it. A volatile one abstains after a restart. One with key locking gets
 * its own script, and reports its identity only now and then.
 */
export const adaptCall = (
  client: Client,
  index: number,
  call: ScriptCall & { readonly script: KeyLockedScript },
): ScriptCall => {
  const { nodes, cache, prefix, maxTtl, driftFactor } = client
  const { volatile, keyLocking } = nodes[index]!
  const script = keyLocking ? withKeyLocking(call.script) : call.script
  const [keys, args] = [[...call.keys], [...call.args]]
  if (volatile) {
    // It is always asked, since it stores the run of its server beside its identity.
    keys.splice(-1, 0, prefix + runKey)
    // Every lock that the node may have granted has expired by the end of the quarantine.
    args.push(`${Math.ceil(Math.max(maxTtl * (1 + driftFactor), minQuarantine))}`)
    if (volatile === acceptsNoRunId) args.push('1')
  } else if (cache.servers[index] && cache.servers[index].age() < maxAge) {
    keys.pop()
    args.pop()
  }
  return { ...call, script, keys, args: args as unknown as ScriptCall['args'] }
}

/** The answer, with the identity that the server told, or else the one that is remembered. */
export const noteIdentity = (
  { nodes, cache: { servers }, clock }: Client,
  index: number,
  answer: Answer,
): Answer => {
  if (!nodes[index]!.keyLocking || answer.error) return answer
  const { server: id } = answer
  if (id && !id[maxLength]) servers[index] = { id, age: stopwatch(clock) }
  return { ...answer, server: id ?? servers[index]?.id }
}

/** Forgets the server of a node that has failed, since the url may lead to another one. */
export const forgetIdentity = ({ cache: { servers } }: Client, index: number): void => {
  servers[index] = undefined
}
