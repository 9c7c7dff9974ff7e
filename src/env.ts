import { expect } from './expect.ts'
import type { RestNodeOptions } from './nodes/rest.ts'

type Env = Readonly<Record<string, unknown>>

/** Reads the nodes out of environment variables; see `Redlock.fromEnv`. */
export const nodesFromEnv = (
  env: Env = (globalThis as { process?: { env?: Env } }).process?.env ?? {},
): RestNodeOptions[] => {
  let { REDLOCK_NODES: nodes } = env
  try {
    // A binding of the type JSON is an array already, which is no JSON.
    nodes = JSON.parse(nodes as string)
  } catch {}
  nodes ||= numbered(env, 'UPSTASH_REDIS_REST_') ?? numbered(env, 'KV_REST_API_')
  const what = 'an array of { url, token } in JSON, or UPSTASH_REDIS_REST_URL set'
  expect(Array.isArray(nodes), 'REDLOCK_NODES', what, nodes)
  return nodes as RestNodeOptions[]
}

const numbered = (env: Env, prefix: string): RestNodeOptions[] | undefined => {
  const nodes: RestNodeOptions[] = []
  for (let index = 0; ; index++) {
    const suffix = index ? `_${index}` : ''
    const [url, token] = [env[`${prefix}URL${suffix}`], env[`${prefix}TOKEN${suffix}`]]
    if (url || token) {
      expect(url && token, `${prefix}URL${suffix}`, 'set with a TOKEN', undefined)
      nodes.push({ url, token } as RestNodeOptions)
    } else if (index) return nodes[0] && nodes
  }
}
