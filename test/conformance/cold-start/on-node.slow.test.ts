import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Redlock, throttle } from '../../../src/index.ts'
import { type FarNodes, farRoundTrips, startFarNodes } from '../../support/far-nodes.ts'
import { freshKey } from '../../support/nodes.ts'
import { farSlowness, slowClock } from '../../support/slow-clock.ts'

// A process that has just started opens a TLS connection to each node, which takes three round trips.

const trusted = getCACertificates('default')
let nodes: FarNodes

beforeAll(async () => {
  nodes = await startFarNodes()
  setDefaultCACertificates([...trusted, nodes.certificate])
})
afterAll(async () => {
  setDefaultCACertificates(trusted)
  await nodes.close()
})

/** A client without open connections, of nodes that have not cached the script. */
const coldClient = async (roundTrips: readonly number[]): Promise<Redlock> =>
  new Redlock({ nodes: await nodes.at(roundTrips), advanced: { clock: slowClock(farSlowness) } })

describe.each(farRoundTrips.map((roundTrips) => [roundTrips]))(
  'a fresh process with nodes %s ms away',
  (roundTrips) => {
    it('acquires its first lock with the default options', async () => {
      const redlock = await coldClient(roundTrips)
      expect(await redlock.tryAcquire(freshKey())).toMatchObject({ ok: true })
    })

    it('passes its first throttle with the default options', async () => {
      const redlock = await coldClient(roundTrips)
      expect(await throttle(redlock, freshKey(), { window: 5_000 })).toMatchObject({ ok: true })
    })
  },
)

describe('a fresh process whose calls end before a connection is open', () => {
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
    for (let index = 0; !isAcquired && index < 40; index++) {
      const signal = AbortSignal.timeout(300 * farSlowness)
      isAcquired = await redlock.tryAcquire(freshKey(), { signal }).then(
        ({ ok }) => ok,
        () => false,
      )
    }
    expect(isAcquired).toBe(true)
  })
})
