import { identityKey } from '../protocol/keys.ts'
import { parseReply, type ReplyTuple } from '../protocol/reply.ts'
import type { Script } from '../protocol/script.ts'
import { boundedMap } from '../util/bounded-map.ts'
import { assertOption } from '../util/validate.ts'
import { type LockNode } from './node.ts'
import { restNode, streamServers, type RestNodeOptions } from './rest-node.ts'

// Without the flag, Upstash locks the whole database while it runs a script.
const flag = '#!lua flags=allow-key-locking\n'

// All calls that read the identity of a server share a key, for which they would wait. So it is read again only
// after so many ms, and after a failure.
const maxAge = 60_000

// Characters of an identity that is remembered: more than any that this library makes.
const maxLength = 100

type Known = { readonly identity: string; readonly readAt: number }

// The bytes that an entry takes on V8, beside its scope.
const entryBytes = 150

/** The identities of servers, by scope and identity key: a Worker makes its nodes anew for each request. */
const identities = boundedMap<Known | undefined>(2 ** 18)

// On Workers, no request may wait for a promise of another: only what is ready is kept.
const scripts = new Map<Script, Script>()

/** The script with the flag, and its own SHA-1. */
const flagged = async (script: Script): Promise<Script> => {
  const known = scripts.get(script)
  if (known) return known
  const text = flag + script.source
  const bytes = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text))
  const sha = Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0'))
  const ready = { sha: sha.join(''), source: text }
  scripts.set(script, ready)
  return ready
}

/**
 * A node that lets Upstash lock only the keys of a call, in place of its whole database, while it runs a script.
 * Locks with different keys then do not wait for each other there. Other servers refuse such a script.
 *
 * It notices up to a minute late that a url leads to another node's server. A volatile node gains nothing.
 *
 * @param given - A node, or the options of `restNode`.
 * @throws `TypeError` when it is neither.
 * @see {@link https://upstash.com/docs/redis/features/key-locking}
 * @example
 * ```ts
 * const redlock = new Redlock({ nodes: JSON.parse(env.REDLOCK_NODES).map(withKeyLocking) })
 * ```
 */
export const withKeyLocking = (given: LockNode | RestNodeOptions): LockNode => {
  const isObject = Object(given) === given
  assertOption(isObject, 'node', 'a node, or an object { url, token }', given)
  const node = 'eval' in given ? given : restNode(given)
  const { name, resends, scope, usesFetch, volatile } = node
  const own = scope ?? crypto.randomUUID()
  const locking: LockNode = {
    name,
    ...(resends && { resends }),
    scope,
    usesFetch,
    volatile,
    eval: async (script, keys, args, ...rest) => {
      const ready = await flagged(script)
      // Clients with other prefixes have identities of their own.
      const place = `${own} ${keys.at(-1)}`
      const keep = (next: Known | undefined): void => identities.set(place, next, entryBytes)
      const { identity, readAt } = identities.get(place) ?? { identity: undefined, readAt: 0 }
      // The script of `check` has no other key. With a quarantine, the key of the identity is not the last one.
      const reads = keys.length > 1 && keys.at(-1)!.endsWith(identityKey)
      const isFresh = identity !== undefined && Date.now() - readAt < maxAge
      try {
        if (reads && isFresh) {
          const reply = await node.eval(ready, keys.slice(0, -1), args.slice(0, -1), ...rest)
          return Array.isArray(reply) ? [...reply, identity] : reply
        }
        const reply = await node.eval(ready, keys, args, ...rest)
        const told = Array.isArray(reply) ? parseReply(reply as unknown as ReplyTuple).identity : ''
        const fits = reads && typeof told === 'string' && told !== '' && told.length <= maxLength
        if (fits) keep({ identity: told, readAt: Date.now() })
        return reply
      } catch (error) {
        // The url may lead to another server now.
        if (identity !== undefined) keep(undefined)
        throw error
      }
    },
  }
  const server = streamServers.get(node)
  if (server) streamServers.set(locking, server)
  return locking
}
