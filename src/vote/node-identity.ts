import type { Client } from '../local/client.ts'
import { acceptsNoRunId, type Volatile } from '../nodes/node.ts'
import { runKey } from '../protocol/keys.ts'
import type { ScriptCall } from '../protocol/script.ts'

// Each server stores a random id and returns it with every reply, which costs no request. So the
// answers of one server are recognised whatever urls lead to it, also if a url leads elsewhere later.

// The minimum time for which a volatile node abstains, in ms. After it, counters that restart from a
// clock that is up to 5 s off are above those that were lost.
const minQuarantine = 11_000

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

/** The call as a volatile node needs it, which abstains after a restart. */
export const withQuarantine = (
  { prefix, maxTtl, driftFactor }: Client,
  volatile: Volatile,
  { script, keys, args }: ScriptCall,
): ScriptCall => {
  // Every lock that the node may have granted has expired by the end of the quarantine.
  const quarantine = Math.ceil(Math.max(maxTtl * (1 + driftFactor), minQuarantine))
  return {
    script,
    keys: [...keys.slice(0, -1), prefix + runKey, keys.at(-1)!],
    args: [...args, `${quarantine}`, ...(volatile === acceptsNoRunId ? ['1'] : [])],
  }
}
