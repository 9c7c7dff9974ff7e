import { generate } from 'selfsigned'
import type { RestNodeOptions } from '../../src/index.ts'
import { type Cluster, startCluster } from '../../tools/servers/cluster.ts'
import { distantServer, type DistantServer } from './distance.ts'
import { command } from './nodes.ts'
import { farSlowness } from './slow-clock.ts'

/** Up to five real nodes, of which each test sees the distances that it asks for. */
export type FarNodes = {
  /** The self-signed certificate of all nodes, as PEM. */
  readonly certificate: string
  /**
   * The nodes at these round trips, in ms of a clock that is slowed by `farSlowness`, on ports that nobody has a connection to. They have not
   * cached the script.
   */
  readonly at: (roundTrips: readonly number[]) => Promise<RestNodeOptions[]>
  readonly close: () => Promise<void>
}

/** The round trips, in ms, over which a fresh process must reach a quorum with the defaults. */
export const farRoundTrips: readonly (readonly number[])[] = [
  [10, 150, 250],
  [10, 200, 250],
  [10, 80, 150, 220, 280],
  [10, 90, 190, 220, 280],
]

/** Starts the nodes. Each is reached by TLS 1.2, whose connections take three round trips to open. */
export const startFarNodes = async (): Promise<FarNodes> => {
  const cluster: Cluster = await startCluster({ count: 5 })
  const servers: DistantServer[] = []
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  })
  const place = async (roundTrip: number, index: number): Promise<RestNodeOptions> => {
    const { url, token } = cluster.nodes[index]!
    await command({ url, token }, 'SCRIPT', 'FLUSH')
    const server = await distantServer(Number(new URL(url).port), roundTrip, { key, cert })
    servers.push(server)
    return { url: `https://127.0.0.1:${server.port}`, token }
  }
  return {
    certificate: cert,
    at: (roundTrips) =>
      Promise.all(roundTrips.map((time, index) => place(time * farSlowness, index))),
    close: async () => {
      await Promise.all(servers.map(({ close }) => close()))
      await cluster.close()
    },
  }
}
