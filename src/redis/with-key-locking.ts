import type { Script } from '../protocol/script.ts'
import { boundedMap } from '../util/bounded-map.ts'
import { assertOption } from '../util/validate.ts'
import type { LockNode } from '../protocol/node.ts'
import { type RedisNode, redisNode, type RedisTransport } from './redis-node.ts'
import { restNode, type RestNodeOptions } from './rest-node.ts'

// Without this flag, Upstash locks the whole database while it runs a script.
const flag = '#!lua flags=allow-key-locking\n'

// In ms. The identity of a server is a key that all calls would share, so they would wait for each other. Therefore the
// identity is read again only after this time, and after a failure.
const maxAge = 60_000

// The maximum length of a cached identity, in characters. The identities that this library creates are shorter.
const maxLength = 100

type Known = { readonly identity: string; readonly readAt: number }

// The size of an entry on V8, in bytes, without its scope.
const entryBytes = 150

/**
 * The identities of servers, by scope and identity key. The cache is global because a Worker creates new nodes for each
 * request.
 */
const identities = boundedMap<Known | undefined>(2 ** 18)

// On Workers, a request must not wait for another request's promise, so the map contains scripts instead of promises.
const scripts = new Map<Script, Script>()

/** The script with the flag in front, and the SHA-1 of the result. */
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

/** The cached ID of a server. It depends on the scope and on the identity key, which contains the prefix. */
const idOfServer = (scope: string, key: string) => {
  const place = `${scope} ${key}`
  return {
    known: (): string | undefined => {
      const { identity, readAt } = identities.get(place) ?? { identity: undefined, readAt: 0 }
      return Date.now() - readAt < maxAge ? identity : undefined
    },
    learn: (identity: string): void => {
      if (identity.length > maxLength) return
      identities.set(place, { identity, readAt: Date.now() }, entryBytes)
    },
    forget: (): void => identities.set(place, undefined, entryBytes),
  }
}

/**
 * Sends scripts with the flag. The identity of the server is read only occasionally, and added to the other replies
 * from the cache.
 */
const lockingNode = (transport: RedisTransport): LockNode => {
  const scope = transport.scope ?? crypto.randomUUID()
  const node = redisNode({
    ...transport,
    send: async (command, call, signal) =>
      transport.send(command, { ...call, script: await flagged(call.script) }, signal),
  })
  return {
    ...node,
    run: async (command, options) => {
      // A guarded script needs the identity at every call.
      if (!('tombstone' in command) || options.guard) return node.run(command, options)
      const server = idOfServer(scope, command.identity)
      const known = server.known()
      try {
        if (known !== undefined) {
          const reply = await node.run(command, { ...options, serverId: undefined })
          return { ...reply, server: known }
        }
        const reply = await node.run(command, options)
        if (typeof reply.server === 'string' && reply.server) server.learn(reply.server)
        return reply
      } catch (error) {
        // The URL may now lead to another server.
        server.forget()
        throw error
      }
    },
  }
}

/**
 * A node whose scripts make Upstash lock only the keys of the call instead of the whole database. Locks with different
 * keys then do not wait for each other there. Servers other than Upstash reject scripts with this flag.
 *
 * If the URL starts to lead to another node's server, the node may not detect that for up to a minute. A volatile node
 * does not benefit from this function.
 *
 * @param given - A node that is a Redis server, or the options of `restNode`.
 * @throws `TypeError` if `given` is neither.
 * @see {@link https://upstash.com/docs/redis/features/key-locking}
 * @example
 * ```ts
 * const redlock = new Redlock({ nodes: JSON.parse(env.REDLOCK_NODES).map(withKeyLocking) })
 * ```
 */
export const withKeyLocking = (given: LockNode | RestNodeOptions): LockNode => {
  const isObject = Object(given) === given
  assertOption(isObject, 'node', 'a node, or an object with `url` and `token`', given)
  const node = 'run' in given ? given : restNode(given)
  const { transport } = Object(node.run) as Partial<RedisNode['run']>
  assertOption(transport, 'node', 'an unwrapped node of a Redis server', given)
  const { name, volatile, scope } = node
  return lockingNode({ ...transport, name, volatile, scope })
}
