import { openRedis } from '../chaos/nodes/open-redis.ts'

/** The number of runs of each command on a server, by its name in lower case. */
export type Counts = ReadonlyMap<string, number>

// Commands of the client libraries, of this file, and around a transaction.
const overhead = /^(?:info|ping|client\||client|hello|command|config|multi|exec)/

/** How often each command on data has run on a server since its start. */
export const countsOf = async (port: number): Promise<Counts> => {
  const client = openRedis(port)
  try {
    const stats = await client.info('commandstats')
    const lines = stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)
    return new Map(
      Array.from(lines, ([, name, calls]): [string, number] => [name!, Number(calls)]).filter(
        ([name]) => !overhead.test(name),
      ),
    )
  } finally {
    client.disconnect()
  }
}

/** How often each command has run between two counts; commands that have not are left out. */
export const ranBetween = (before: Counts, after: Counts): Record<string, number> =>
  Object.fromEntries(
    Array.from(after, ([name, calls]): [string, number] => [
      name,
      calls - (before.get(name) ?? 0),
    ]).filter(([, calls]) => calls !== 0),
  )
