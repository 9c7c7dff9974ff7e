import process from 'node:process'
import { nodesFromEnv } from '../../redis/nodes-from-env.ts'
import type { LockNode } from '../../protocol/node.ts'
import type { RestNodeOptions } from '../../redis/rest-node.ts'
import { quarantine, type QuarantineOptions } from '../../redis/quarantine/quarantine.ts'
import { openTcpNodes } from './tcp-nodes.ts'
import { findVariables } from './variables.ts'

/** The nodes of a command, in the order in which they were given. */
export type GivenNodes = {
  /** The place where the nodes were configured. */
  readonly source: string
  readonly nodes: readonly (RestNodeOptions | LockNode)[]
  /** Tokens and passwords, which must never be printed. */
  readonly secrets: readonly string[]
  readonly close: () => void
}

/** Converts a node from an environment variable. In its JSON, `volatile` is `true`, or the options of `quarantine`. */
const withQuarantine = (node: RestNodeOptions): RestNodeOptions => {
  const { volatile } = Object(node) as { volatile?: boolean | QuarantineOptions }
  if (!volatile) return node
  return { ...node, volatile: quarantine(volatile === true ? {} : volatile) }
}

/**
 * Adds the password from an environment variable to a URL without one. On the command line, a password would be
 * visible to other users of the machine, and stored in the shell history.
 */
const withPassword = (url: string, index: number): string => {
  const { [`REDLOCK_PASSWORD_${index + 1}`]: own, REDLOCK_PASSWORD: shared } = process.env
  const password = own || shared
  const parsed = new URL(url)
  if (!password || parsed.password) return url
  parsed.password = encodeURIComponent(password)
  return parsed.href
}

/**
 * Returns the nodes at these `redis://` URLs or, without URLs, the nodes from the environment variables.
 *
 * @throws if there are no nodes, or a URL is invalid.
 */
export const givenNodes = async (
  urls: readonly string[],
  from: string | undefined,
): Promise<GivenNodes> => {
  if (urls.length === 0) {
    const { source, env } = findVariables(from)
    const nodes = nodesFromEnv(env).map(withQuarantine)
    return { source, nodes, secrets: nodes.map(({ token }) => token), close: () => {} }
  }
  if (from !== undefined) throw new Error('Use either --from or redis:// URLs, not both')
  const isServer = (url: string): boolean => {
    if (!URL.canParse(url) || /%(?![\da-f]{2})/i.test(url)) return false
    const { protocol, hostname, pathname } = new URL(url)
    return /^rediss?:$/.test(protocol) && hostname !== '' && /^\/?\d*$/.test(pathname)
  }
  const wrong = urls.findIndex((url) => !isServer(url))
  // Do not print the URL, which may contain a password.
  if (wrong >= 0) throw new Error(`Argument ${wrong + 1} must be a URL such as redis://host:6379`)
  const complete = urls.map(withPassword)
  const { nodes, close } = await openTcpNodes(complete)
  const secrets = complete.map((url) => decodeURIComponent(new URL(url).password)).filter(Boolean)
  return { source: 'the command line', nodes, secrets, close }
}
