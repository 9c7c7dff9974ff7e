import { Redis } from 'ioredis'
import type { Cluster } from '../../tools/servers/cluster.ts'
import { addressesOf } from '../../verification/comparison/nodes.ts'

/**
 * Reads how many scripts the servers of a cluster have run: what a request is billed as, since the
 * commands inside a script are not billed.
 *
 * @throws where they are not real servers.
 */
export const commandsOf = (cluster: Cluster): (() => Promise<number>) => {
  const addresses = addressesOf(cluster)
  return async () => {
    const counts = await Promise.all(
      addresses.map(async ({ host, port }) => {
        const client = new Redis({ host, port })
        const stats = await client.info('commandstats')
        client.disconnect()
        return [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)]
          .map(([, calls]) => Number(calls))
          .reduce((sum, calls) => sum + calls, 0)
      }),
    )
    return counts.reduce((sum, calls) => sum + calls, 0)
  }
}
