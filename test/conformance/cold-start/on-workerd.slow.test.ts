import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRuntime } from '../../../tools/servers/runtime.ts'
import { workerd } from '../../../tools/servers/workerd.ts'
import { type FarNodes, farRoundTrips, startFarNodes } from '../../support/far-nodes.ts'
import { freshKey } from '../../support/nodes.ts'

// The same as on-node.slow.test.ts, for a process of workerd that has just started.

const entry = fileURLToPath(new URL('worker.ts', import.meta.url))

let nodes: FarNodes
beforeAll(async () => {
  nodes = await startFarNodes()
})
afterAll(() => nodes.close())

/** Calls a Worker in a process of its own, whose nodes have these round trips. */
const withColdWorker = async (
  roundTrips: readonly number[],
  call: (get: (path: string) => Promise<unknown>) => Promise<void>,
  { isTrusting = true } = {},
): Promise<void> => {
  const runtime = workerd(entry, isTrusting ? { trustedCertificate: nodes.certificate } : {})
  const worker = await startRuntime(runtime, {
    REDLOCK_NODES: JSON.stringify(await nodes.at(roundTrips)),
  })
  try {
    await call(async (path) => (await worker.call(path)).json())
  } finally {
    await worker.stop()
  }
}

describe.each(farRoundTrips.map((roundTrips) => [roundTrips]))(
  'a fresh Worker with nodes %s ms away',
  (roundTrips) => {
    it('acquires its first lock with the default options', () =>
      withColdWorker(roundTrips, async (get) => {
        expect(await get(`/lock?key=${freshKey()}`)).toMatchObject({ ok: true })
      }))

    it('passes its first throttle with the default options', () =>
      withColdWorker(roundTrips, async (get) => {
        expect(await get(`/throttle?key=${freshKey()}`)).toMatchObject({ ok: true })
      }))
  },
)

describe('a fresh Worker', () => {
  it('whose calls end before a connection is open lets the connections finish opening', () =>
    withColdWorker([10, 200, 250], async (get) => {
      // A call with a ttl of 600 ms waits for 300 ms, but opening the connections takes 600 ms.
      const call = async (): Promise<{ ok: boolean }> =>
        (await get(`/lock?key=${freshKey()}&ttl=600`)) as { ok: boolean }
      let answer = await call()
      expect(answer).toMatchObject({ reason: 'unavailable' })
      for (let calls = 1; !answer.ok && calls < 10; calls++) answer = await call()
      expect(answer.ok).toBe(true)
    }))

  it('encrypts its requests: it rejects nodes whose certificate it does not trust', () =>
    withColdWorker(
      [10, 10, 10],
      async (get) => {
        const answer = await get(`/lock?key=${freshKey()}`)
        expect(answer).toMatchObject({ reason: 'unavailable' })
        const { nodes: reports } = answer as { nodes: readonly { status: string }[] }
        expect(reports.every(({ status }) => status === 'error')).toBe(true)
      },
      { isTrusting: false },
    ))
})
