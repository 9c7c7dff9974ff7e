import { Redlock } from '../../client/redlock.ts'
import type { Arguments } from './arguments.ts'
import { givenNodes } from './nodes.ts'

/** Runs work with a `Redlock` for the given nodes, or for the nodes from the environment variables. */
export const withRedlock = async <T>(
  { urls, from, prefix, nodeTimeout }: Arguments,
  work: (redlock: Redlock, secrets: readonly string[]) => Promise<T>,
): Promise<T> => {
  const { nodes, secrets, close } = await givenNodes(urls, from)
  try {
    const redlock = new Redlock({
      nodes: [...nodes],
      ttl: Math.max(nodeTimeout ?? 0, 10_000),
      ...(prefix !== undefined && { prefix }),
      ...(nodeTimeout !== undefined && { nodeTimeout }),
      // The output contains the same information.
      warnings: false,
    })
    return await work(redlock, secrets)
  } finally {
    close()
  }
}
