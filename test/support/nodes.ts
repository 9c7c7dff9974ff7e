import type { LockNode, RestNodeOptions } from '../../src/index.ts'

/** Sends one plain command to a node over REST, to see or to set what is really in its Redis. */
export const command = async (
  { url, token }: RestNodeOptions,
  ...words: (string | number)[]
): Promise<unknown> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(words),
  })
  const { result, error } = (await response.json()) as { result?: unknown; error?: string }
  if (error !== undefined) throw new Error(error)
  return result
}

/** Runs one plain command where a node keeps its keys, to see or to set what is really there. */
export type Server = { readonly command: (...words: (string | number)[]) => Promise<unknown> }

/** Servers that are reached over REST. */
export const overRest = (nodes: readonly RestNodeOptions[]): Server[] =>
  nodes.map((node) => ({ command: (...words) => command(node, ...words) }))

/** What the servers hold of a lock: the values, null where there is none. */
export const holders = (servers: readonly Server[], key: string): Promise<unknown[]> =>
  Promise.all(servers.map((server) => server.command('GET', key)))

/** A key that no other test uses. */
export const freshKey = (): string => `key-${crypto.randomUUID()}`

/** The same server under another name, as it happens with two urls of one database. */
export const renamed = (node: RestNodeOptions | LockNode): RestNodeOptions | LockNode =>
  'run' in node
    ? { ...node, name: `twin of ${node.name}` }
    : { ...node, url: 'http://twin.example', fetch: (_, init) => fetch(node.url, init) }
