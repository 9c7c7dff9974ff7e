import { stopSignal } from '../../tools/cli/stop-signal.ts'
import { describeEngine, startCluster } from '../../tools/servers/cluster.ts'
import { addressesOf } from '../../verification/comparison/nodes.ts'
import type { Served } from './servers.ts'

// The servers and their gateways in a process of their own, so that their work burdens no client
// that is measured. It lives as long as its parent is connected, whatever becomes of that.

const count = Number(process.argv[2])

// Ctrl-C is for the parent, whose end is the end of this one.
stopSignal()
const disconnected = new Promise((resolve) => process.once('disconnect', resolve))
const cluster = await startCluster({ count })
try {
  const served: Served = { addresses: addressesOf(cluster), engine: describeEngine(cluster) }
  process.send?.(served)
  await disconnected
} finally {
  await cluster.close()
}
