import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { lock, throttle } from '../../src/entries/hono.ts'
import { idempotent } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { during, type Fault, hang, reject, withFault } from '../support/faults.ts'
import { freshKey } from '../support/nodes.ts'
import { realNodes } from '../support/real-nodes.workerd.ts'

// The middleware of one request shares one budget, and a node hangs: what a Worker of the free plan sends.

const servers = realNodes.slice(0, 3)
const freeRequests = 50

// The pauses between two tries are short, since the test is about their number.
const retry = { delay: 5, maxDelay: 20 }

const pass: Fault = (_, send) => send()

type Situation = {
  /** By node. */
  readonly faults: readonly (Fault | undefined)[]
  /** The number of requests after which another gives up the lock. Default: 0. */
  readonly heldUntil?: number
  /** The number of locks that the request takes beside that one. Default: 0. */
  readonly moreLocks?: number
}

/** Sends one request through a throttle, a lock and a claim. @returns what it gets, and what that costs. */
const visit = async ({ faults, heldUntil = 0, moreLocks = 0 }: Situation) => {
  const key = freshKey()
  const other = await new Redlock({ nodes: servers }).acquire(key, { ttl: 60_000 })
  let sent = 0
  let released: Promise<unknown> | undefined
  const nodes = servers.map((node, rank) =>
    withFault(node, async (request, send) => {
      if (++sent > heldUntil) await (released ??= other.release())
      const { [rank]: fault = pass } = faults
      return fault(request, async () => {
        const response = await send()
        // A server that has forgotten a script costs one more, whatever the budget.
        if ((await response.clone().text()).includes('NOSCRIPT')) sent--
        return response
      })
    }),
  )
  const redlock = new Redlock({ nodes, warnings: false, retry })
  let runs = 0
  const app = new Hono()
    .use(
      throttle({ redlock, key: freshKey, window: 60_000 }),
      lock({ redlock, key, wait: 30_000 }),
      ...Array.from({ length: moreLocks }, () => lock({ redlock, key: freshKey })),
      idempotent({ redlock, scope: () => 'user', wait: 5_000 }),
    )
    .post('*', (c) => c.text(`run ${++runs}`, 201))
  const works: Promise<unknown>[] = []
  const context = {
    waitUntil: (work: Promise<unknown>) => void works.push(work),
    passThroughOnException: () => {},
    props: {},
  }
  const headers = { 'idempotency-key': key }
  const request = new Request('https://shop.example/', { method: 'POST', headers })
  const response = await app.fetch(request, {}, context)
  const body = await response.text()
  // Releases and repairs count as well.
  while (works.length > 0) await Promise.all(works.splice(0))
  return { status: response.status, body, runs, sent }
}

describe.concurrent('on workerd, a node hangs', () => {
  it('answers by the handler', async () => {
    const { sent, ...answer } = await visit({ faults: [hang] })
    expect(answer).toEqual({ status: 201, body: 'run 1', runs: 1 })
    expect(sent).toBeLessThanOrEqual(freeRequests)
  })

  it('answers by the handler after a wait for the lock', async () => {
    const { sent, ...answer } = await visit({ faults: [hang], heldUntil: 12 })
    expect(answer).toEqual({ status: 201, body: 'run 1', runs: 1 })
    expect(sent).toBeGreaterThan(20)
    expect(sent).toBeLessThanOrEqual(freeRequests)
  })

  it('answers 409 once the wait has used up the budget', async () => {
    const { status, runs, sent } = await visit({ faults: [hang], heldUntil: Infinity })
    expect([status, runs]).toEqual([409, 0])
    expect(sent).toBeLessThanOrEqual(freeRequests)
  })

  it('answers 503 if another rejects the record, after a wait for the lock', async () => {
    const faults = [hang, during('c', reject)]
    const { status, body, runs, sent } = await visit({ faults, heldUntil: 12 })
    expect([status, runs]).toEqual([503, 1])
    expect(JSON.parse(body)).toMatchObject({ status: 503, reason: 'response-not-recorded' })
    expect(sent).toBeGreaterThan(20)
    expect(sent).toBeLessThanOrEqual(freeRequests)
  })

  it('answers 503 if a second one hangs', async () => {
    const { status, body, runs, sent } = await visit({ faults: [hang, hang] })
    expect([status, runs]).toEqual([503, 0])
    expect(JSON.parse(body)).toMatchObject({ status: 503, reason: 'unavailable' })
    expect(sent).toBeLessThanOrEqual(freeRequests)
  })
})

const waits = [0, 6, 12, 18, 34].flatMap((heldUntil) =>
  [0, 1, 2].flatMap((moreLocks) =>
    [[], [hang]].map((faults) => ({ heldUntil, moreLocks, hanging: faults.length, faults })),
  ),
)

describe.concurrent('on workerd, several middleware', () => {
  it.each(waits)(
    'stay within the free plan: $moreLocks more locks, after $heldUntil requests, $hanging hanging',
    async ({ heldUntil, moreLocks, faults }) => {
      const { sent, status, runs } = await visit({ faults, heldUntil, moreLocks })
      expect(sent).toBeLessThanOrEqual(freeRequests)
      // A wait that is too long for the plan ends before the handler.
      expect([status, runs]).toEqual(status === 409 ? [409, 0] : [201, 1])
    },
  )

  it('say so before the handler runs, where the requests do not suffice', async () => {
    const { sent, ...answer } = await visit({ faults: [], moreLocks: 7 })
    expect(sent).toBeLessThanOrEqual(freeRequests)
    expect(answer).toMatchObject({ status: 503, runs: 0 })
  })
})
