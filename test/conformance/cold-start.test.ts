import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { generate } from 'selfsigned'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { type Cluster, startCluster } from '../../tools/servers/cluster.ts'
import { distantServer, type DistantServer } from '../support/distance.ts'
import { command, freshKey } from '../support/nodes.ts'

// A process that has just started opens a TLS connection to each node, which takes three round trips.

let cluster: Cluster
const servers: DistantServer[] = []
const trusted = getCACertificates('default')
let identity: { readonly key: string; readonly cert: string }

beforeAll(async () => {
  cluster = await startCluster({ count: 5 })
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  })
  identity = { key, cert }
  setDefaultCACertificates([...trusted, cert])
})
afterAll(async () => {
  setDefaultCACertificates(trusted)
  await Promise.all(servers.map(({ close }) => close()))
  await cluster.close()
})

/** A client without open connections, of nodes that have not cached the script. */
const coldClient = async (roundTrips: readonly number[]): Promise<Redlock> => {
  const nodes = roundTrips.map(async (roundTrip, index) => {
    const { url, token } = cluster.nodes[index]!
    await command({ url, token }, 'SCRIPT', 'FLUSH')
    const server = await distantServer(Number(new URL(url).port), roundTrip, identity)
    servers.push(server)
    return { url: `https://127.0.0.1:${server.port}`, token }
  })
  return new Redlock({ nodes: await Promise.all(nodes) })
}

// On a busy machine, opening a connection takes longer than the round trips explain. So each test may
// be retried with new connections.
const options = { retry: 2 }

describe.each([
  [[10, 150, 250]],
  [[10, 200, 250]],
  [[10, 80, 150, 220, 280]],
  [[10, 90, 190, 220, 280]],
])('a fresh process with nodes %s ms away', options, (roundTrips) => {
  it('acquires its first lock with the default options', async () => {
    const redlock = await coldClient(roundTrips)
    expect(await redlock.tryAcquire(freshKey())).toMatchObject({ ok: true })
  })

  it('passes its first throttle with the default options', async () => {
    const redlock = await coldClient(roundTrips)
    expect(await redlock.throttle(freshKey(), { window: 5_000 })).toMatchObject({ ok: true })
  })
})

describe('a fresh process whose calls end before a connection is open', options, () => {
  it('lets the connections finish opening, and so acquires the lock later', async () => {
    const redlock = await coldClient([10, 200, 250])
    // A call with a ttl of 600 ms waits for 300 ms, but opening the connections takes 600 ms.
    expect(await redlock.tryAcquire(freshKey(), { ttl: 600 })).toMatchObject({
      reason: 'unavailable',
    })
    const lock = await redlock.acquire('key', { ttl: 600, wait: 5_000 })
    expect(lock.held).toBe(true)
  })

  it('does so even if the caller aborts', async () => {
    const redlock = await coldClient([10, 200, 250])
    let isAcquired = false
    for (let index = 0; !isAcquired && index < 10; index++) {
      const signal = AbortSignal.timeout(300)
      isAcquired = await redlock.tryAcquire(freshKey(), { signal }).then(
        ({ ok }) => ok,
        () => false,
      )
    }
    expect(isAcquired).toBe(true)
  })
})
