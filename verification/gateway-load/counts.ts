import { openRedis } from '../chaos/nodes/open-redis.ts'

/** How often each command has run on a server, by its name in lower case. */
export type Counts = ReadonlyMap<string, number>

// What a client sends to get to know its server, what this file sends, and what frames a transaction.
const around = /^(?:info|ping|client\||client|hello|command|config|multi|exec)/

/** Asks a server for the commands that it has run on its data since it was started. */
export const countsOf = async (port: number): Promise<Counts> => {
  const client = openRedis(port)
  try {
    const stats = await client.info('commandstats')
    const lines = stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)
    return new Map(
      Array.from(lines, ([, name, calls]): [string, number] => [name!, Number(calls)]).filter(
        ([name]) => !around.test(name),
      ),
    )
  } finally {
    client.disconnect()
  }
}

/** How often what has run in between, by its name; what has not is not there. */
export const ranBetween = (before: Counts, after: Counts): Record<string, number> =>
  Object.fromEntries(
    Array.from(after, ([name, calls]): [string, number] => [
      name,
      calls - (before.get(name) ?? 0),
    ]).filter(([, calls]) => calls !== 0),
  )
