import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  adopt,
  inspect,
  isQuorumError,
  type LockNode,
  Redlock,
  restNode,
  throttle,
} from '../../src/index.ts'
import { type RawServer, startRaw } from './raw-server.ts'
import { honest, tricks } from './tricks.ts'

// Hostile servers over real connections, which can attack `fetch` itself.

const nodeTimeout = 200
// The maximum delay of a result after `nodeTimeout`, in ms of this process: it gets less time on a busy machine.
const maxDelay = 2_000
const tick = 10
// In bytes: the buffers of two sockets, and the data that a runtime reads ahead.
const maxWritten = 16 * 2 ** 20
// Tricks that go on until the client closes the connection.
const neverEnds = /without end|huge|drips|says nothing|waits|no end/
const waiting = { timeout: 10_000 }
const cases = Number(process.env['HOSTILE_HTTP_CASES'] ?? 300)
// The servers run in this process, too: more at once would only show that it is busy.
const atOnce = 5

let trap: RawServer
let honestServer: RawServer
const hostile = new Map<string, RawServer>()
const names = Object.keys(tricks(''))
const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)
let now = 0
let ticking: NodeJS.Timeout | undefined

beforeAll(async () => {
  ticking = setInterval(() => (now += tick), tick)
  process.on('unhandledRejection', note)
  trap = await startRaw(honest)
  honestServer = await startRaw(honest)
  for (const [name, trick] of Object.entries(tricks(trap.url))) {
    hostile.set(name, await startRaw(trick))
  }
})
afterAll(async () => {
  clearInterval(ticking)
  process.off('unhandledRejection', note)
  for (const server of [trap, honestServer, ...hostile.values()]) await server.close()
})

/** Several nodes may share a server, so each has a path of its own. */
const nodeOf = (server: RawServer, index: number): LockNode =>
  restNode({ url: `${server.url}/${index}`, token: crypto.randomUUID() })

const operations = {
  acquire: async (redlock: Redlock) => redlock.tryAcquire('key'),
  throttle: async (redlock: Redlock) => throttle(redlock, 'key', { window: 5_000 }),
  inspect: async (redlock: Redlock) => inspect(redlock, 'key'),
  extend: async (redlock: Redlock) => adopted(redlock).extend().catch(rejectionOf),
  fence: async (redlock: Redlock) => adopted(redlock).fencingToken().catch(rejectionOf),
  release: async (redlock: Redlock) => ({ state: await adopted(redlock).release() }),
}
const adopted = (redlock: Redlock) =>
  adopt(redlock, {
    keys: ['key'],
    value: crypto.randomUUID(),
    ttl: 10_000,
    expiresAt: Date.now() + 10_000,
  })
const rejectionOf = (error: unknown): unknown => {
  if (!isQuorumError(error)) throw error
  return { reason: 'unavailable' }
}

type Scenario = { operation: keyof typeof operations; one: string; other: string }
const scenario: fc.Arbitrary<Scenario> = fc.record({
  operation: fc.constantFrom(...(Object.keys(operations) as (keyof typeof operations)[])),
  one: fc.constantFrom(...names),
  other: fc.constantFrom(...names),
})

describe('with two of three servers hostile', () => {
  it('no operation succeeds, and each one ends in time', { timeout: cases * 1_000 }, async () => {
    const seen = new Set<string>()
    let total = 0
    const scenarios = fc.array(scenario, { minLength: atOnce, maxLength: atOnce })
    const run = async ({ operation, one, other }: Scenario) => {
      const nodes = [honestServer, hostile.get(one)!, hostile.get(other)!].map(nodeOf)
      const due = wait(nodeTimeout).then(() => now)
      const outcome = await operations[operation](new Redlock({ nodes, nodeTimeout }))
      const late = now - (await due)
      expect(outcome).toMatchObject(
        operation === 'inspect'
          ? { state: 'unavailable' }
          : operation === 'release'
            ? { state: 'unconfirmed' }
            : { reason: 'unavailable' },
      )
      expect(late).toBeLessThan(maxDelay)
      seen.add(one).add(other)
      total++
    }
    await fc.assert(
      fc.asyncProperty(scenarios, async (list) => void (await Promise.all(list.map(run)))),
      { numRuns: Math.ceil(cases / atOnce), endOnFailure: true },
    )
    expect(total).toBeGreaterThanOrEqual(cases)
    expect(names.filter((name) => !seen.has(name))).toEqual([])
    // On a busy machine, a call may time out before its request is sent.
    expect(honestServer.requests()).toBeGreaterThan(total / 20)
  })

  it(
    'no connection stays open for ever, and no body is read without end',
    { timeout: 20_000 },
    async () => {
      const busy = [...hostile].filter(([name]) => neverEnds.test(name))
      expect(busy.length).toBeGreaterThan(5)
      await vi.waitFor(() => {
        const open = busy.filter(([, server]) => server.connections() > 0)
        expect(open.map(([name]) => name)).toEqual([])
      }, waiting)
      const written = [...hostile].filter(([, server]) => server.maxWritten() > maxWritten)
      expect(written.map(([name]) => name)).toEqual([])
    },
  )

  it('no token is sent to another server', () => {
    expect(trap.requests()).toBe(0)
  })

  it('no rejection is unhandled', async () => {
    await wait(0)
    expect(unhandled).toEqual([])
  })
})

describe('a quorum of honest servers', () => {
  it.each(names)('decides next to a server that %s', async (name) => {
    const nodes = [honestServer, trap, hostile.get(name)!].map(nodeOf)
    const before = trap.requests()
    const lock = await new Redlock({ nodes, nodeTimeout: 5_000 }).acquire('key')
    expect(await lock.fencingToken()).toBe(7)
    expect(await lock.release()).toBe('released')
    expect(trap.requests()).toBeGreaterThan(before)
  })
})
