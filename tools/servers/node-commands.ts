import type { RestNodeOptions } from '../../src/index.ts'

/** Sends one command to a node over REST, to read or change the data of its server directly. */
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

/** Runs one command on the store of a node, to read or change its data directly. */
export type Server = { readonly command: (...words: (string | number)[]) => Promise<unknown> }

/** Creates servers that are accessed over REST. */
export const overRest = (nodes: readonly RestNodeOptions[]): Server[] =>
  nodes.map((node) => ({ command: (...words) => command(node, ...words) }))

/** The values of a lock key on the servers; null if a server has none. */
export const holders = (servers: readonly Server[], key: string): Promise<unknown[]> =>
  Promise.all(servers.map((server) => server.command('GET', key)))

/** Creates a key that no other test uses. */
export const freshKey = (): string => `key-${crypto.randomUUID()}`
