import { nodesFromEnv } from '../nodes/nodes-from-env.ts'
import type { LockNode } from '../nodes/node.ts'
import type { RestNodeOptions } from '../nodes/rest-node.ts'
import { type IoredisClient, ioredisNode } from '../nodes/ioredis-node.ts'
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

import process from 'node:process'

/** Environment variables, and where they were found. */
export type Variables = {
  readonly source: string
  readonly env: Readonly<Record<string, string | undefined>>
}

// Wrangler reads `.dev.vars`, and `.env` where there is none.
const files = ['.dev.vars', '.env']

const names =
  /^(?:REDLOCK_NODES|(?:UPSTASH_REDIS_REST|(?:\w+_)?KV_REST_API)_(?:URL|TOKEN)(?:_\d+)?)$/

const hasNodes = (env: Variables['env']): boolean =>
  Object.entries(env).some(([name, value]) => names.test(name) && value)

/** Reads an env file; undefined where there is none. */
const readEnvFile = (file: string): Variables['env'] | undefined => {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw new Error(`Cannot read ${file}: ${(error as Error).message}`, { cause: error })
  }
  return parseEnv(text)
}

/**
 * The variables that name nodes. They come from one place, since nodes of two places would be a lock
 * that no app uses: from the given file, or else from the environment, `.dev.vars` or `.env`.
 *
 * @throws where there are none.
 */
const findVariables = (file: string | undefined): Variables => {
  if (file !== undefined) {
    const env = readEnvFile(file)
    if (!env)
      throw new Error(`Cannot read ${file.replace(/:\/\/.*/, '://...')}: there is no such file`)
    return { source: file, env }
  }
  if (hasNodes(process.env)) return { source: 'the environment', env: process.env }
  for (const source of files) {
    const env = readEnvFile(source)
    if (env && hasNodes(env)) return { source, env }
  }
  throw new Error(
    `No nodes found. Set REDLOCK_NODES, or UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN, in the environment, in ${files.join(' or in ')}; or name another file with --from.`,
  )
}

// `ioredis` is the user's: this package has no dependencies.

type OwnClient = IoredisClient & { disconnect: () => void }
type Constructor = new (url: string, options: object) => OwnClient

const load = async (): Promise<Constructor> => {
  // A name that no bundler and no compiler follows.
  const name = 'ioredis'
  try {
    const { default: Client } = (await import(name)) as { default: Constructor }
    return Client
  } catch {
    throw new Error('redis:// needs the package `ioredis` in your project: npm install ioredis')
  }
}

// Ms between two tries to connect.
const retryDelay = 500

/** Nodes over TCP that were opened for one command. */
type TcpNodes = { readonly nodes: readonly LockNode[]; readonly close: () => void }

/** Opens a node for each `redis://` or `rediss://` url. */
const openTcpNodes = async (urls: readonly string[]): Promise<TcpNodes> => {
  const Client = await load()
  const own = {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    lazyConnect: true,
    // For `watch`, which sees a server that comes back.
    retryStrategy: () => retryDelay,
  }
  const clients = urls.map((url) => {
    const client = new Client(url, own)
    // The command reports it.
    client.on('error', () => {})
    return client
  })
  return {
    nodes: clients.map((client) => ioredisNode(client)),
    close: () => {
      for (const client of clients) client.disconnect()
    },
  }
}

/** The nodes of a command, in the order in which they were given. */
export type GivenNodes = {
  /** Where they come from. */
  readonly source: string
  readonly nodes: readonly (RestNodeOptions | LockNode)[]
  /** What must never be printed. */
  readonly secrets: readonly string[]
  readonly close: () => void
}

/**
 * The nodes of these `redis://` urls, or else those of the environment.
 *
 * @throws when there are none, or a url is of another kind.
 */
export const givenNodes = async (
  urls: readonly string[],
  from: string | undefined,
): Promise<GivenNodes> => {
  if (urls.length === 0) {
    const { source, env } = findVariables(from)
    const nodes = nodesFromEnv(env)
    return { source, nodes, secrets: nodes.map(({ token }) => token), close: () => {} }
  }
  if (from !== undefined) throw new Error('Expected --from or redis:// urls, not both')
  const isServer = (url: string): boolean => {
    if (!URL.canParse(url) || /%(?![\da-f]{2})/i.test(url)) return false
    const { protocol, hostname, pathname } = new URL(url)
    return /^rediss?:$/.test(protocol) && hostname !== '' && /^\/?\d*$/.test(pathname)
  }
  const wrong = urls.findIndex((url) => !isServer(url))
  // It may contain a password.
  if (wrong >= 0)
    throw new Error(`Expected argument ${wrong + 1} to be a url such as redis://host:6379`)
  const { nodes, close } = await openTcpNodes(urls)
  const secrets = urls.map((url) => decodeURIComponent(new URL(url).password)).filter(Boolean)
  return { source: 'the command line', nodes, secrets, close }
}
