import { describe, expect, it, vi } from 'vitest'
import { withLock, withThrottle } from '../../src/entries/fetch.ts'
import {
  LockLostError,
  type LockNode,
  Redlock,
  type RedlockOptions,
  withWakeUp,
} from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import type { Reply } from '../../src/protocol/reply.ts'
import { freshKey } from '../support/nodes.ts'
import { realNodes } from '../support/real-nodes.ts'
import { nodeThrough } from '../../tools/node-through.ts'

// The middleware of one request shares one budget, as the plan of a Worker counts all its requests together.

const plan = 50

/** Clients of healthy nodes, and the requests that they send. */
const setUp = (count: number, options: Partial<RedlockOptions> = {}) => {
  const servers = memoryNodes(count)
  let sent = 0
  const nodes = servers.map((node) => nodeThrough(node, (_, send) => (sent++, send())))
  const redlock = new Redlock({ nodes, budget: plan - count, warnings: false, ...options })
  return { servers, redlock, sent: () => sent }
}

type Handler = (request: Request) => Response | Promise<Response>

/** The handler within so many locks. */
const within = (redlock: Redlock, locks: number, handler: Handler): Handler => {
  let guarded = handler
  for (let left = locks; left > 0; left--) {
    guarded = withLock({ redlock, key: () => freshKey(), wait: 1_000 }, guarded) as Handler
  }
  return guarded
}

const statusOf = async (handler: Handler, request = new Request('http://a.example/')) => {
  const response = await handler(request)
  await response.text()
  return response.status
}

describe('the budget of a request', () => {
  it.each([3, 5, 7])('that is used up passes no guard with failOpen: %i nodes', async (count) => {
    const { redlock } = setUp(count)
    let passed = 0
    const send = withThrottle(
      { redlock, key: freshKey(), window: 60_000, failOpen: true },
      async () => (passed++, new Response('sent')),
    ) as Handler
    for (let locks = 0; locks < 9; locks++) await statusOf(within(redlock, locks, send))
    expect(passed).toBeLessThanOrEqual(1)
  })

  it('that is used up lets nobody run beside a holder', async () => {
    const { redlock } = setUp(3)
    const key = freshKey()
    await redlock.acquire(key)
    let runs = 0
    const handler = withLock({ redlock, key, failOpen: true }, async () => {
      runs++
      return new Response('ran')
    }) as Handler
    const request = new Request('http://a.example/')
    for (let turn = 0; turn < 20; turn++) await statusOf(handler, request)
    expect(runs).toBe(0)
  })

  it.each([
    [3, 5],
    [5, 4],
  ])('lasts as long with messages that wake: %i nodes, %i locks', async (count, locks) => {
    const nodes = realNodes.slice(0, count)
    const redlock = new Redlock({ nodes, budget: plan - count, warnings: false })
    const status = await statusOf(within(withWakeUp(redlock), locks, () => new Response('ran')))
    expect(status).toBe(200)
  })

  it.each([1, 2, 3])(
    'keeps what ends a throttle that does not count: %i of them',
    async (number) => {
      const { servers, redlock, sent } = setUp(3, { ttl: 300 })
      let handler = within(redlock, 1, async () => {
        await new Promise((resolve) => setTimeout(resolve, 2_000))
        return new Response('done')
      })
      for (let left = number; left > 0; left--) {
        const key = freshKey()
        const options = { redlock, key, window: 60_000, countIf: () => false }
        handler = withThrottle(options, handler) as Handler
      }
      expect(await statusOf(handler)).toBe(200)
      const windows = (): string[] =>
        servers.flatMap(({ entries }) =>
          [...entries.keys()].filter((key) => key.startsWith('lock:t:')),
        )
      await expect.poll(windows).toEqual([])
      expect(sent()).toBeLessThanOrEqual(plan)
    },
  )
})

const untilAborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', resolve))

/** Nodes in memory whose commands pass through a function. */
const nodesThrough = (
  count: number,
  run: (op: string, rank: number, send: () => Promise<Reply>) => Promise<Reply>,
): LockNode[] =>
  memoryNodes(count).map(({ name, run: runOn }, rank) => ({
    name,
    run: (command, options) => run(command.op, rank, () => runOn(command, options)),
  }))

describe('the requests of a budget', () => {
  it.each([3, 5, 7])('are not exceeded if some are sent again: %i nodes', async (count) => {
    let sent = 0
    let failures = 0
    const nodes = nodesThrough(count, async (op, rank, send) => {
      sent++
      if (op === 'release') return send()
      if (rank > 0) throw new Error('is down')
      // The idle connections of a pool have ended.
      if (failures++ < 3) throw Object.assign(new Error('read ECONNRESET'), { retryable: true })
      return send()
    })
    const budget = 2 * count
    const redlock = new Redlock({ nodes, strategy: 'frugal', budget, warnings: false })
    expect(await redlock.tryAcquire(freshKey())).toMatchObject({ reason: 'unavailable' })
    await vi.waitFor(() => {
      expect(sent).toBeGreaterThan(count)
    })
    expect(sent).toBeLessThanOrEqual(budget)
  })

  it('are given back if an extension has not sent them', async () => {
    vi.useFakeTimers()
    let sent = 0
    const nodes = nodesThrough(3, (_, __, send) => (sent++, send()))
    const options = { ttl: 300, budget: 48, advanced: { concurrency: 1 }, warnings: false }
    const redlock = new Redlock({ nodes, ...options })
    const work = redlock.using(freshKey(), ({ signal }) => untilAborted(signal))
    const lost = work.catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await lost).toBeInstanceOf(LockLostError)
    vi.useRealTimers()
    // A quorum of two confirms each extension, so the third node is not asked.
    expect(sent).toBeGreaterThanOrEqual(40)
  })
})
