import { expect } from '../util/validate.ts'
import type { RestNodeOptions } from './rest-node.ts'

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

/**
 * The nodes of `PREFIX_URL` and `PREFIX_TOKEN`, and of the same with `_1`, `_2` and so on. A gap is an
 * error: fewer nodes than the user believes to have would be fewer votes, in silence.
 */
const numbered = (env: Env, prefix: string): RestNodeOptions[] | undefined => {
  const pattern = new RegExp(`^${prefix}(URL|TOKEN)_(\\d+)$`)
  const numbers = Object.keys(env).map((name) => (env[name] ? Number(pattern.exec(name)?.[2]) : 0))
  const last = Math.max(0, ...numbers.filter(Boolean))
  const nodes: RestNodeOptions[] = []
  for (let index = 0; index <= last; index++) {
    const suffix = index ? `_${index}` : ''
    const [urlName, tokenName] = [`${prefix}URL${suffix}`, `${prefix}TOKEN${suffix}`]
    const [url, token] = [env[urlName], env[tokenName]]
    // The numbers may begin at none or at 1.
    if (!index && !url && !token) continue
    const [missing, other] = url ? [tokenName, urlName] : [urlName, tokenName]
    const reason = url || token ? other : `${prefix}URL_${last}`
    expect(url && token, missing, `set, as ${reason} is`, undefined)
    nodes.push({ url, token } as RestNodeOptions)
  }
  return nodes[0] && nodes
}
