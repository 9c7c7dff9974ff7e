import { Redis } from 'ioredis'
import type { Cluster } from '../../../tools/servers/cluster.ts'
import { addressesOf } from '../../../verification/comparison/nodes.ts'

/** A command without the parts that differ from call to call: random IDs, and the time in ms. */
const withoutIds = (words: readonly string[]): string =>
  words
    .join(' ')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replace(/\b\d{13}\b/g, 'TIME')
    // The identity that a server adopts: the index of the node, followed by a unique text.
    .replace(/ \d+(ID|[0-9a-f]{8}[0-9a-z]{1,3})$/, ' IDENTITY')

/**
 * The scripts that clients send to the servers during `act`, sorted. `settled` resolves when no more follow.
 */
export const scriptsDuring = async (
  cluster: Cluster,
  act: () => Promise<unknown>,
  settled: () => Promise<unknown>,
): Promise<string[]> => {
  // It connects only the monitor: the INFO of another client may reach a monitor that is not ready for it.
  const clients = addressesOf(cluster).map(
    ({ host, port }) => new Redis({ host, port, lazyConnect: true }),
  )
  const scripts: string[] = []
  const monitors = await Promise.all(clients.map((client) => client.monitor()))
  try {
    for (const [index, monitor] of monitors.entries()) {
      monitor.on('monitor', (_time: string, words: string[], source: string) => {
        // Commands that run inside a script have the source `lua`.
        const isScript = /^eval(sha)?$/i.test(words[0]!) && source !== 'lua'
        if (isScript) scripts.push(`node ${index}: ${withoutIds(words)}`)
      })
    }
    await act()
    await settled()
  } finally {
    for (const monitor of monitors) monitor.disconnect()
  }
  return scripts.sort()
}
