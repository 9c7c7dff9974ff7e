import { lockScript } from '../../../src/redis/scripts/lock-script.ts'

// Sends by hand what the middleware sends for a free lock and for a throttle that passes. It sends EVALSHA to all
// nodes in parallel and awaits a quorum of replies. The response has the same headers, and the release follows it. It
// reports no errors, and uses only the script hash of this library.

/** The variables of the Worker. */
export type Env = { readonly REDLOCK_NODES: string }

type Node = { readonly url: string; readonly token: string }

const ttl = 600_000
const tombstoneLife = 60_000

// The headers of a response that has passed the throttle.
const seconds = ttl / 1000
const rateLimit = {
  ratelimit: `"throttle";r=0;t=${seconds}`,
  'ratelimit-policy': `"throttle";q=1;w=${seconds}`,
}

/** Sends one command to one node. Resolves to the status in its reply. */
const send = async (
  { url, token }: Node,
  words: readonly (string | number)[],
  signal: AbortSignal | undefined,
): Promise<string> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(['EVALSHA', lockScript.sha, ...words]),
    ...(signal && { signal }),
  })
  const { result } = (await response.json()) as { result: [echo: string, status: string] }
  return result[1]
}

/** Resolves once a quorum of the replies is `granted`. */
const granted = (replies: readonly Promise<string>[], quorum: number): Promise<void> =>
  new Promise((resolve, reject) => {
    let grants = 0
    const count = async (reply: Promise<string>): Promise<void> => {
      if ((await reply) === 'granted' && ++grants === quorum) resolve()
    }
    for (const reply of replies) count(reply).catch(reject)
  })

/** The execution context of a request. */
export type Context = { readonly waitUntil: (work: Promise<unknown>) => void }

/** Acquires on a quorum, and resolves to a function that releases the grants. */
const acquire = async (
  nodes: readonly Node[],
  kinds: readonly string[],
  context: Context,
  timeout: number | undefined,
): Promise<() => Promise<unknown>> => {
  const key = crypto.randomUUID()
  const value = crypto.randomUUID()
  const keys = [...kinds.map((kind) => `lock:${kind}:${key}`), `lock:x:${value}`, 'lock:id']
  const fenceTtl = kinds.length === 2 ? '600000' : '0'
  const acquired = [keys.length, ...keys, 'a', value, `${ttl}`, fenceTtl, `${Date.now()}`]
  const released = [keys.length, ...keys, 'r', value, `${tombstoneLife}`, fenceTtl, '0']
  // A server without an ID adopts a random one, which begins with the number of its node.
  const sendAll = (words: readonly (string | number)[]): Promise<string>[] => {
    const signal = timeout === undefined ? undefined : AbortSignal.timeout(timeout)
    return nodes.map((node, index) => send(node, [...words, index + crypto.randomUUID()], signal))
  }
  const replies = sendAll(acquired)
  // Without this, workerd aborts pending requests when the response is sent.
  context.waitUntil(Promise.all(replies))
  await granted(replies, (nodes.length >> 1) + 1)
  return () => Promise.all(sendAll(released))
}

let nodes: readonly Node[] | undefined

/**
 * Takes the lock or passes the throttle of a path, and releases the lock after the response.
 *
 * @param timeout - Ms after which requests are canceled. Default: never.
 * @returns the headers of the response.
 */
export const takeByHand = async (
  path: string,
  env: Env,
  context: Context,
  timeout?: number,
): Promise<Record<string, string>> => {
  // In the client's order: by name, which is the URL.
  nodes ??= (JSON.parse(env.REDLOCK_NODES) as Node[]).sort((a, b) => (a.url < b.url ? -1 : 1))
  if (path === '/lock') {
    const release = await acquire(nodes, ['l', 'f'], context, timeout)
    context.waitUntil(release())
  }
  if (path !== '/throttle') return {}
  await acquire(nodes, ['t'], context, timeout)
  return rateLimit
}
