import { Redis } from 'ioredis'
import type { Cluster } from '../../dev/cluster.ts'

/**
 * Reads how many scripts the servers of a cluster have run: what a request is billed as, since the
 * commands inside a script are not billed.
 *
 * @throws where they are not real servers.
 */
export const commandsOf = async ({ nodes }: Cluster): Promise<() => Promise<number>> => {
  const ports = nodes.map(({ redis }) => {
    if (!redis) throw new Error('This bench needs redis-server on PATH')
    return redis.port
  })
  return async () => {
    const counts = await Promise.all(
      ports.map(async (port) => {
        const client = new Redis({ host: '127.0.0.1', port })
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
