import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Hono } from 'hono'
import { lock, throttle } from '../../src/entries/hono.ts'
import { idempotent } from '../../src/entries/idempotency.ts'
import { type LockNode, Redlock, type RedlockOptions } from '../../src/index.ts'
import { type MemoryNode, memoryNodes } from '../../src/entries/testing.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { appWith, type Handler, postTo } from '../idempotency/app.ts'
import { freshKey } from '../support/nodes.ts'

// A call that waits spreads its requests over its wait: their number grows like the logarithm of the wait.

/** The payloads that are being hashed, which takes real time. */
const hashing = new Set<object>()

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
  const digest = crypto.subtle.digest.bind(crypto.subtle)
  vi.spyOn(crypto.subtle, 'digest').mockImplementation(async (...given) => {
    const payload = {}
    hashing.add(payload)
    try {
      return await digest(...given)
    } finally {
      hashing.delete(payload)
    }
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Nodes 20 ms away, and the times of the requests to them, in ms. */
const watched = (servers: readonly MemoryNode[]): { nodes: LockNode[]; asked: number[] } => {
  const asked: number[] = []
  const begun = Date.now()
  const nodes = servers.map((server) =>
    nodeThrough(server, async (_, send) => {
      asked.push(Date.now() - begun)
      await new Promise((resolve) => setTimeout(resolve, 20))
      return send()
    }),
  )
  return { nodes, asked }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Lets time pass until a promise has settled. */
const settled = async <T>(promise: Promise<T>): Promise<T> => {
  const state = { isOver: false }
  const end = (): void => void (state.isOver = true)
  promise.then(end, end)
  for (let steps = 0; !state.isOver && steps < 20_000; steps++) {
    do await new Promise((resolve) => setImmediate(resolve))
    while (hashing.size > 0)
    await vi.advanceTimersByTimeAsync(10)
  }
  return promise
}

/** The requests of a duplicate that waits for a handler, and its response. */
const duplicate = async (
  handlerTime: number,
  longest: number,
  options: Partial<RedlockOptions> = {},
  count = 3,
) => {
  const servers = memoryNodes(count)
  const first = appWith(new Redlock({ nodes: watched(servers).nodes }), async (c) => {
    await wait(handlerTime)
    return c.text('done', 201)
  })
  const { nodes, asked } = watched(servers)
  const redlock = new Redlock({ nodes, ...options })
  const second = appWith(redlock, (c) => c.text('again'), { wait: longest })
  const key = freshKey()
  const begun = Date.now()
  const answer = async (): Promise<Response & { after?: number }> => {
    await wait(50)
    const response = await second.post(key)
    return Object.assign(response, { after: Date.now() - begun })
  }
  const answering = Promise.all([first.post(key), answer()])
  const [, response] = await settled(answering)
  return { asked, response, runs: second.runs() }
}

const rounds = Array.from({ length: 20 }, (_, index) => index)

describe('a duplicate', () => {
  it.each(rounds)('that waits 5 s sends fewer than 30 requests (%i)', async () => {
    const { asked, response, runs } = await duplicate(4_500, 5_000)
    expect([response.status, runs]).toEqual([201, 0])
    expect(asked.length).toBeLessThan(30)
  })

  it.each([3, 5])('is told 409 within the budget of %d nodes, never 503', async (count) => {
    const { asked, response } = await duplicate(40_000, 30_000, { budget: 50 - count }, count)
    expect(response.status).toBe(409)
    expect(asked.length).toBeLessThanOrEqual(50)
  })
})

/** As on Cloudflare Workers, where the nodes are reached by `fetch`. */
const onWorkers = <T>(make: () => T): T => {
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
  try {
    return make()
  } finally {
    vi.unstubAllGlobals()
  }
}
const distant = (nodes: readonly LockNode[]): LockNode[] =>
  nodes.map((node) => Object.assign(node, { usesFetch: true }))
const budgetOf = (count: number, options: Partial<RedlockOptions> = {}): number =>
  onWorkers(() => new Redlock({ nodes: distant(memoryNodes(count)), ...options })).client().budget

describe('the default budget', () => {
  it.each([
    [1, 49],
    [3, 47],
    [5, 45],
    [25, 50],
  ])('on Workers, of %d nodes that use fetch, is %d', (count, budget) => {
    expect(budgetOf(count)).toBe(budget)
  })

  it('is the one that the user sets, and has no limit elsewhere', () => {
    expect(budgetOf(3, { budget: 1_000 })).toBe(1_000)
    expect(budgetOf(3, { budget: Infinity })).toBe(Infinity)
    expect(onWorkers(() => new Redlock({ nodes: memoryNodes(3) })).client().budget).toBe(Infinity)
    expect(new Redlock({ nodes: distant(memoryNodes(3)) }).client().budget).toBe(Infinity)
  })
})

describe.each([3, 5])('on Workers, over %d nodes', (count) => {
  it.each([5_000, 15_000, 30_000])(
    'a lock that is held for longer is waited for %d ms',
    async (ms) => {
      const servers = memoryNodes(count)
      await new Redlock({ nodes: servers }).acquire('key', { ttl: 600_000 })
      const { nodes, asked } = watched(servers)
      const redlock = onWorkers(() => new Redlock({ nodes: distant(nodes) }))
      const begun = Date.now()
      const outcome = redlock.acquire('key', { wait: ms }).catch((error: unknown) => error)
      expect(await settled(outcome)).toMatchObject({ name: 'LockedError' })
      expect(Date.now() - begun).toBeGreaterThan(ms - 200)
      await settled(wait(1_000))
      expect(asked.length).toBeLessThanOrEqual(50)
    },
  )
})

describe('the gates of one request', () => {
  const nested = (redlock: Redlock, handler: Handler) => {
    const app = new Hono()
    const scope = (): string => 'user'
    app.post(
      '/orders',
      idempotent({ redlock, scope, wait: 5_000 }),
      lock({ redlock, key: 'resource', wait: 5_000 }),
      throttle({ redlock, key: () => freshKey(), window: 5_000 }),
      handler,
    )
    return postTo(app.fetch)
  }

  it('share a budget, and none is rejected as in an outage', async () => {
    const servers = memoryNodes(3)
    const held = await new Redlock({ nodes: servers }).acquire('resource', { ttl: 600_000 })
    const { nodes, asked } = watched(servers)
    const redlock = onWorkers(() => new Redlock({ nodes: distant(nodes) }))
    const post = nested(redlock, (c) => c.text('done', 201))
    const rejected = await settled(post(freshKey()))
    expect(rejected.status).toBe(409)
    await settled(wait(1_000))
    expect(asked.length).toBeLessThanOrEqual(50)
    await held.release()
    expect((await settled(post(freshKey()))).status).toBe(201)
    await settled(wait(1_000))
  })

  it.each([
    [6, 503],
    [12, 503],
    [17, 503],
    [18, 201],
  ])('with a budget of %i: %i, and no more requests', async (budget, status) => {
    const servers = memoryNodes(3)
    const { nodes, asked } = watched(servers)
    const post = nested(new Redlock({ nodes, budget }), (c) => c.text('done', 201))
    expect((await settled(post(freshKey()))).status).toBe(status)
    await settled(wait(1_000))
    expect(asked.length).toBeLessThanOrEqual(budget)
    const left = servers.flatMap(({ entries }) => Array.from(entries.keys()))
    expect(left.filter((name) => name.startsWith('lock:l:'))).toEqual([])
  })

  it('do not share it with another request', async () => {
    const { nodes, asked } = watched(memoryNodes(3))
    const post = nested(new Redlock({ nodes, budget: 30 }), (c) => c.text('done', 201))
    for (let turn = 0; turn < 4; turn++) expect((await settled(post(freshKey()))).status).toBe(201)
    expect(asked.length).toBeGreaterThan(30)
  })
})
