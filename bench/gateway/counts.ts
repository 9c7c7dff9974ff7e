import { Redis } from 'ioredis'

/** How often each command has run on a server, by its name in lower case. */
export type Counts = ReadonlyMap<string, number>

// What a client sends to get to know its server, what this file sends, and what frames a transaction.
const around = /^(?:info|ping|client\||client|hello|command|config|multi|exec)/

/** Asks a server for the commands that it has run on its data since it was started. */
export const countsOf = async (port: number): Promise<Counts> => {
  const client = new Redis({ host: '127.0.0.1', port, enableReadyCheck: false })
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

/** What has run in between, as text: `incr 12`; empty where nothing has. */
export const ranBetween = (before: Counts, after: Counts): Record<string, number> =>
  Object.fromEntries(
    Array.from(after, ([name, calls]): [string, number] => [
      name,
      calls - (before.get(name) ?? 0),
    ]).filter(([, calls]) => calls !== 0),
  )
