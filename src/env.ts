import { expect } from './expect.ts'
import type { RestNodeOptions } from './nodes/rest.ts'

type Env = Readonly<Record<string, unknown>>

const upstash = 'UPSTASH_REDIS_REST_'

/** Reads the nodes out of environment variables; see `Redlock.fromEnv`. */
export const nodesFromEnv = (
  env: Env = (globalThis as { process?: { env?: Env } }).process?.env ?? {},
): RestNodeOptions[] => {
  const { REDLOCK_NODES: listed } = env
  if (listed) return parse(listed)
  const nodes: RestNodeOptions[] = []
  const add = (prefix: string, suffix = ''): boolean => {
    const [urlName, tokenName] = [`${prefix}URL${suffix}`, `${prefix}TOKEN${suffix}`]
    const { [urlName]: url, [tokenName]: token } = env
    if (!url && !token) return false
    expect(url && token, `${urlName} and ${tokenName}`, 'set, both or none', undefined)
    return nodes.push({ url, token } as RestNodeOptions) > 0
  }
  add(upstash)
  for (let index = 1; add(upstash, `_${index}`); index++);
  if (nodes.length === 0) add('KV_REST_API_')
  expect(nodes.length > 0, 'REDLOCK_NODES', `set, or ${upstash}URL and _TOKEN`, undefined)
  return nodes
}

const parse = (listed: unknown): RestNodeOptions[] => {
  let nodes: unknown
  try {
    // A binding of the type JSON is an array already.
    nodes = typeof listed === 'string' ? JSON.parse(listed) : listed
  } catch {}
  expect(Array.isArray(nodes), 'REDLOCK_NODES', 'a JSON array of { "url", "token" }', listed)
  return nodes as RestNodeOptions[]
}
