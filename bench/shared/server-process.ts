import { settingsFromParent } from '../../tools/child-process.ts'
import { stopSignal } from '../../tools/cli/stop-signal.ts'
import { describeEngine, startCluster } from '../../tools/servers/cluster.ts'
import { addressesOf } from '../../verification/comparison/nodes.ts'
import type { ServersReport } from './servers.ts'

// Runs the servers and their gateways in a separate process, so that their work does not slow the measured clients.
// It ends when its parent disconnects or ends.

// Ctrl-C also reaches this process, but only the parent decides when to end.
stopSignal()
let disconnect!: () => void
const disconnected = new Promise<void>((resolve) => (disconnect = resolve))
const { count } = await settingsFromParent<{ count: number }>(disconnect)
const cluster = await startCluster({ count })
try {
  const report: ServersReport = {
    addresses: addressesOf(cluster),
    engine: describeEngine(cluster),
  }
  process.send?.(report)
  await disconnected
} finally {
  await cluster.close()
}
