import { assertOption } from '../util/validate.ts'
import type { RestNodeOptions } from './rest-node.ts'

type Env = Readonly<Record<string, unknown>>

const processEnv = (): object => (globalThis as { process?: { env?: Env } }).process?.env ?? {}

/**
 * Reads JSON. Some tools keep the quotes around a value, or the backslashes before the quotes in it. Docker does so for
 * files that `vercel env pull` has written.
 */
const parseNodes = (text: string): { readonly nodes: unknown } | undefined => {
  const bare = text.trim().replace(/^(["'`])(.*)\1$/s, '$2')
  if (!bare) return { nodes: '' }
  for (const json of [bare, bare.replaceAll('\\"', '"')]) {
    try {
      return { nodes: JSON.parse(json) }
    } catch {}
  }
  return undefined
}

// The tokens of JSON.
const tokens = /^(?:[\s[\]{}:,]|"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)*/

/** Describes where text stops being JSON, but shows nothing of the text: it contains secrets. */
const whereItBreaks = (text: string): string => {
  const { length } = tokens.exec(text)![0]
  if (length < text.length) return `breaks at character ${length + 1} of ${text.length}`
  // For example after a quote that ended the value, or in a file with one line per value.
  const isCut = text.split(/[[{]/).length > text.split(/[\]}]/).length
  return isCut ? `breaks off after character ${length}` : 'has a wrong comma, colon or bracket'
}

/** The value of `REDLOCK_NODES`. @throws if it is text but not JSON. */
const listedNodes = (env: Env): unknown => {
  const text = read(env, 'REDLOCK_NODES')
  // A Worker's JSON binding is already an array.
  if (typeof text !== 'string' || !text) return text
  const parsed = parseNodes(text)
  if (parsed) return parsed.nodes
  const found = `text that ${whereItBreaks(text)}; in a file, write it on one line in single quotes: REDLOCK_NODES='[...]'`
  return assertOption(false, 'REDLOCK_NODES', inJson, text, found)
}

const inJson = 'an array of { url, token } in JSON'

/** Reads the nodes from environment variables; see `fromEnv`. */
export const nodesFromEnv = (given: object = processEnv()): RestNodeOptions[] => {
  // An interface, as `wrangler types` writes it, has no index signature.
  const env = given as Env
  assertOption(typeof given === 'object' && given, 'env', 'an object of variables', given)
  const listed = listedNodes(env)
  const nodes = listed || (numbered(env, 'UPSTASH_REDIS_REST_') ?? vercelNodes(env) ?? listed)
  const hint = nodes
    ? ''
    : ', or UPSTASH_REDIS_REST_URL set; on Workers pass `env` or `c.env`, on Node nothing'
  assertOption(Array.isArray(nodes) && nodes.length, 'REDLOCK_NODES', inJson + hint, nodes)
  return nodes as RestNodeOptions[]
}

// Numbers are tried one by one, since some environments cannot list their variables.
const maxNumber = 99

const read = (env: Env, name: string): unknown => {
  // Deno throws for a variable that the program may not read.
  try {
    return env[name]
  } catch {
    return undefined
  }
}

/** All variables; none if the program may not read all of them, since Deno throws then. */
const entriesOf = (env: object): [name: string, value: unknown][] => {
  try {
    return Object.entries(env)
  } catch {
    return []
  }
}

/**
 * The nodes of `PREFIX_URL` and `PREFIX_TOKEN`, and of the same names with `_0`, `_1` and so on. A gap is an error.
 * Otherwise, a lock would silently use fewer nodes than its user configured, and be less safe.
 */
const numbered = (env: Env, prefix: string): RestNodeOptions[] | undefined => {
  const nodes: RestNodeOptions[] = []
  let missing: string | undefined
  for (let number = -1; number <= maxNumber; number++) {
    const suffix = number < 0 ? '' : `_${number}`
    const [urlName, tokenName] = [`${prefix}URL${suffix}`, `${prefix}TOKEN${suffix}`]
    const [url, token] = [read(env, urlName), read(env, tokenName)]
    if (url || token) {
      const [counterpart, given] = url ? [tokenName, urlName] : [urlName, tokenName]
      assertOption(
        !missing && url && token,
        missing ?? counterpart,
        `set, as ${given} is`,
        undefined,
      )
      nodes.push({ url, token } as RestNodeOptions)
      // The first node may have no number, 0 or 1.
    } else if (number > 0) missing ??= urlName
  }
  return nodes[0] && nodes
}

/**
 * The nodes of Vercel Marketplace databases. The variables of each database have a separate prefix, as in
 * `EU_KV_REST_API_URL`, or none.
 */
const vercelNodes = (env: Env): RestNodeOptions[] | undefined => {
  const prefixes = new Set<string>(['KV_REST_API_'])
  for (const [name] of entriesOf(env)) {
    const [, prefix] = /^(\w+_KV_REST_API_)(?:URL|TOKEN)(?:_\d\d?)?$/.exec(name) ?? []
    if (prefix) prefixes.add(prefix)
  }
  const nodes = [...prefixes].sort().flatMap((prefix) => numbered(env, prefix) ?? [])
  return nodes[0] && nodes
}

/**
 * The variables to compare in place of the nodes: `REDLOCK_NODES` if it is a list, otherwise all that the object shows.
 */
export const settingsInEnv = (env: object = processEnv()): readonly unknown[] => {
  const nodes = read(Object(env) as Env, 'REDLOCK_NODES') ?? ''
  // The content of an array may have changed.
  if (typeof nodes !== 'string') return []
  return /^[\s"'`]*\[/.test(nodes) ? [nodes] : entriesOf(env).flat()
}
