import type { Script } from '../protocol/script.ts'
import { boundedMap } from '../util/bounded-map.ts'
import { assertOption } from '../util/validate.ts'
import type { LockNode } from '../protocol/node.ts'
import { type RedisNode, redisNode, type RedisTransport } from './redis-node.ts'
import { restNode, type RestNodeOptions } from './rest-node.ts'

// Without the flag, Upstash locks the whole database while it runs a script.
const flag = '#!lua flags=allow-key-locking\n'

// All calls that read the identity of a server share a key, so they would wait for each other. Therefore it is read
// again only after this many ms, and after a failure.
const maxAge = 60_000

// The maximum number of characters of a remembered identity: more than in any that this library creates.
const maxLength = 100

type Known = { readonly identity: string; readonly readAt: number }

// The bytes that an entry takes on V8, beside its scope.
const entryBytes = 150

/** The identities of servers, by scope and identity key: a Worker creates its nodes anew for each request. */
const identities = boundedMap<Known | undefined>(2 ** 18)

// On Workers, no request may wait for another request's promise, so only finished scripts are kept.
const scripts = new Map<Script, Script>()

/** The script with the flag, and the SHA-1 of both. */
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

/** The cached ID of a server, by its scope and by the key of the ID, since each prefix has its own. */
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
 * Sends scripts with the flag. If all calls read the identity of the server, they would wait for each other. So it is
 * read only occasionally, and put into the other replies.
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
      // A guard needs the identity.
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
        // The URL may lead to another server now.
        server.forget()
        throw error
      }
    },
  }
}

/**
 * A node that lets Upstash lock only the keys of a call, in place of its whole database, while it runs a script. Locks
 * with different keys then do not wait for each other there. Other servers reject scripts with this flag.
 *
 * If the URL leads to another node's server, it notices that up to a minute late. A volatile node gains nothing.
 *
 * @param given - A node of a Redis server, or the options of `restNode`.
 * @throws `TypeError` when it is neither.
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
  assertOption(transport, 'node', 'a node of a Redis server that nothing wraps', given)
  const { name, volatile, scope } = node
  return lockingNode({ ...transport, name, volatile, scope })
}
