import type { RestNodeOptions } from '../../src/index.ts'

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

/** What the nodes hold of a lock, by node: the values, null where there is none. */
export const holders = (nodes: readonly RestNodeOptions[], key: string): Promise<unknown[]> =>
  Promise.all(nodes.map((node) => command(node, 'GET', key)))

/** A key that no other test uses. */
export const freshKey = (): string => `key-${crypto.randomUUID()}`
