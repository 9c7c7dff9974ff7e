import { Redis } from 'ioredis'
import { until } from '../../tools/cli/until.ts'
import type { Cluster } from '../../tools/servers/cluster.ts'
import { type Address, addressesOf } from '../../verification/comparison/nodes.ts'

/** The scripts that one server has run. */
const scriptsOn = async ({ host, port }: Address): Promise<number> => {
  const client = new Redis({ host, port })
  const stats = await client.info('commandstats')
  client.disconnect()
  return [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce(
    (sum, [, calls]) => sum + Number(calls),
    0,
  )
}

/**
 * Returns a function that waits until no further commands arrive and resolves to the scripts that
 * the servers have run. A request is billed by scripts, not by the commands inside them.
 *
 * @throws when the servers are embedded ones.
 */
export const commandCounter = (cluster: Cluster): (() => Promise<number>) => {
  const addresses = addressesOf(cluster)
  const countNow = async (): Promise<number> => {
    const counts = await Promise.all(addresses.map(scriptsOn))
    return counts.reduce((sum, calls) => sum + calls, 0)
  }
  return async () => {
    let [last, current] = [-1, await countNow()]
    const isSettled = async (): Promise<boolean> => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      ;[last, current] = [current, await countNow()]
      return last === current
    }
    await until(isSettled, 5000)
    return current
  }
}
