import { assertOption, checkOptions } from '../util/validate.ts'
import { isGarbled } from './commands.ts'
import { firstCharacters, withoutCredentials } from '../util/safe-text.ts'
import { type LockNode, requestError, scopeOf, type Quarantine } from '../protocol/node.ts'
import { nameOf, redisNode } from './redis-node.ts'

/** The methods of an `@upstash/redis` client that a node calls. */
export type UpstashClient = {
  evalsha: (sha: string, keys: string[], args: string[]) => Promise<unknown>
  eval: (script: string, keys: string[], args: string[]) => Promise<unknown>
}

type UpstashInternals = {
  client?: {
    baseUrl?: string
    headers?: { Authorization?: string; authorization?: string }
    options?: { signal?: unknown; responseEncoding?: unknown }
  }
}

// The messages that the client produces, intentionally or by crashing, for a response without a message. They do not
// contain the status.
const noMessage =
  /^(|undefined|null|\[object Object\]|Unable to parse response body: |Cannot (read|destructure) .*|.* is not (a function|iterable))$/

/** Removes the command that the client appends to a message, because it contains the value of the lock. */
const messageOf = (error: unknown): string => {
  const [message] = String(Object(error).message).split(', command was:', 1)
  return noMessage.test(firstCharacters(message!))
    ? 'an HTTP response without a message from Redis'
    : message!
}

/**
 * Rejects other objects, and clients that would fabricate replies. @returns the settings of the client, if it exposes
 * them.
 */
const checkClient = (redis: UpstashClient): UpstashInternals['client'] => {
  const isClient = typeof redis?.evalsha === 'function' && typeof redis.eval === 'function'
  const isTcp = typeof (redis as { sendCommand?: unknown } | undefined)?.sendCommand === 'function'
  const expected = 'an @upstash/redis client; for others use ioredisNode or nodeRedisNode'
  assertOption(isClient && !isTcp, 'redis', expected, redis)
  const { client } = redis as UpstashInternals
  const signal = client?.options?.signal
  const isAllowed = signal === undefined || typeof signal === 'function'
  assertOption(isAllowed, 'signal', 'a function or absent in the client of `upstashNode`', signal)
  return client
}

/**
 * A node that uses an `@upstash/redis` client, for applications that already have one. Consider `restNode`, which is
 * smaller and can cancel requests. Here, `nodeTimeout` only ends the wait, and a grant that arrives later is released.
 *
 * The client repeats a request whose reply was lost. This is harmless, because an acquire is idempotent for its own
 * value, and a reply counts only if it contains that value.
 *
 * @param options.name - Identifies the node in reports. Default: the client's URL.
 * @param options.volatile - `quarantine()` if the server may lose writes when it restarts.
 * @throws `TypeError` if `redis` is not an `@upstash/redis` client, or has a static `signal`. Once that signal aborts,
 *   the client fabricates an HTTP 200 for every command.
 * @example
 * ```ts
 * const node = upstashNode(new Redis({ url, token }))
 * ```
 */
export const upstashNode = (
  redis: UpstashClient,
  options: { name?: string; volatile?: Quarantine | false } = {},
): LockNode => {
  checkOptions('upstashNode()', options, 'name, volatile')
  const client = checkClient(redis)
  const name = options.name ?? (client?.baseUrl && withoutCredentials(client.baseUrl))
  // Undefined if the client belongs to another library that does not expose its credentials.
  const account = client?.headers?.Authorization ?? client?.headers?.authorization
  assertOption(
    typeof name === 'string' && name,
    'name',
    'a string, unless the client has a URL',
    name,
  )
  return redisNode({
    name,
    resends: true,
    volatile: options.volatile,
    scope: account && scopeOf(name, JSON.stringify([client?.baseUrl, account])),
    usesFetch: true,
    send: async (command, call) => {
      try {
        const run = command === 'EVALSHA' ? 'evalsha' : 'eval'
        const reply = await redis[run](nameOf(command, call), [...call.keys], [...call.args])
        // The client has decoded a reply that the server never encoded.
        if (isGarbled(reply) && client?.options?.responseEncoding !== false) {
          throw new Error(
            'the server ignores the encoding that the client requests: create the client with `responseEncoding: false`',
          )
        }
        return reply
      } catch (error) {
        const { cause, code } = Object(error) as { cause?: unknown; code?: unknown }
        const message = messageOf(error)
        throw requestError({ message, cause, code }, account?.split(' ')[1] || undefined)
      }
    },
  })
}
