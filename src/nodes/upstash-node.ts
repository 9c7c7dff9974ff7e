import { assertOption } from '../util/validate.ts'
import { type LockNode, nodeError, scopeOf } from './node.ts'

/** What a node needs of an `@upstash/redis` client. */
export type UpstashClient = {
  evalsha: (sha: string, keys: string[], args: string[]) => Promise<unknown>
  eval: (script: string, keys: string[], args: string[]) => Promise<unknown>
}

type Internals = {
  client?: {
    baseUrl?: string
    headers?: { Authorization?: string; authorization?: string }
    options?: { signal?: unknown }
  }
}

/**
 * A node over an `@upstash/redis` client, for those who have one already. `restNode` is smaller
 * and can really cancel a request; here `nodeTimeout` only stops waiting, and a grant that comes
 * in later is released.
 *
 * The client repeats a request whose answer got lost, which is harmless: acquire is idempotent for
 * its own value, and a reply is counted only if it carries that value.
 *
 * @param options.name - Tells the node from the others; default is the client's url.
 * @param options.volatile - True if it may lose what it was told when it restarts.
 * @throws {TypeError} when it is not such a client, or when the client has a static `signal`: once
 * that aborts, the client makes up an HTTP 200 for every command.
 * @example
 * ```ts
 * const node = upstashNode(new Redis({ url, token }))
 * ```
 */
export const upstashNode = (
  redis: UpstashClient,
  options: { name?: string; volatile?: boolean } = {},
): LockNode => {
  const isClient = typeof redis?.evalsha === 'function' && typeof redis.eval === 'function'
  assertOption(isClient, 'redis', 'an @upstash/redis client', redis)
  const { client } = redis as Internals
  const signal = client?.options?.signal
  const fits = signal === undefined || typeof signal === 'function'
  assertOption(fits, 'signal', 'a function or absent in the client of `upstashNode`', signal)
  const name = options.name ?? client?.baseUrl
  // A client of another make may hide as whom it asks.
  const account = client?.headers?.Authorization ?? client?.headers?.authorization
  assertOption(
    typeof name === 'string' && name,
    'name',
    "a string, or known from the client's url",
    name,
  )
  return {
    name,
    resends: true,
    volatile: options.volatile,
    scope: account && scopeOf(name, JSON.stringify([client?.baseUrl, account])),
    run: async ({ script, keys, args, onResend }) => {
      try {
        return await redis.evalsha(script.sha, [...keys], [...args]).catch((error: unknown) => {
          if (!/NOSCRIPT/.test((error as Error).message)) throw error
          onResend?.()
          return redis.eval(script.source, [...keys], [...args])
        })
      } catch (error) {
        // The client appends the whole command, and with it the lock value.
        const [message] = String((error as Error | undefined)?.message).split(', command was:')
        throw nodeError({ message }, account?.split(' ')[1] || undefined)
      }
    },
  }
}
