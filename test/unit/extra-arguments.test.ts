import { describe, expect, it } from 'vitest'
import * as core from '../../src/index.ts'
import * as customNode from '../../src/entries/custom-node.ts'
import * as doctor from '../../src/entries/doctor.ts'
import * as fetchEntry from '../../src/entries/fetch.ts'
import * as gatewayEntry from '../../src/entries/gateway.ts'
import * as guards from '../../src/entries/guards.ts'
import * as honoEntry from '../../src/entries/hono.ts'
import * as idempotency from '../../src/entries/idempotency.ts'
import * as nodeEntry from '../../src/entries/node.ts'
import * as testing from '../../src/entries/testing.ts'
import { Redis as Ioredis } from 'ioredis'
import { createClient } from 'redis'
import { Redis as Upstash } from '@upstash/redis'
import { freshKey, nodes, redlock, send } from '../options/call.ts'

// No exported function has parameters beside those that its types show: `list.map(restNode)` passes an index, and
// other libraries take options in another place.

type Anything = (...args: never[]) => unknown
type Case = {
  readonly args: () => readonly unknown[] | Promise<readonly unknown[]>
  /** The error for an argument behind the last one. Default: it is ignored. */
  readonly rejects?: string
}

const account = { url: 'https://a.example', token: 't' }
const own = { lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 0 }
const handler = (): Response => new Response('done')
const takes = (...args: readonly unknown[]): Case => ({ args: () => args })
const withKey = (...args: readonly unknown[]): Case => ({
  args: () => [redlock, freshKey(), ...args],
})
const error = takes(new Error('x'))
const problem = takes({ status: 409, detail: 'x' }, {})
const locking = { redlock, key: 'k' }
const throttling = { ...locking, window: 5_000 }
const once = { redlock, scope: () => 'all' }
const held = async (): Promise<core.Lock> => redlock.acquire(freshKey())
const denied: never[] = []
const inspecting = {
  op: 'inspect',
  keys: ['l:k'],
  fences: ['f:k'],
  tombstone: 'x:v',
  identity: 'id',
  owner: 'v',
  value: 'v',
  fenceTtl: 11_000,
}

/** The arguments that a function has at most. */
const cases: Record<string, Record<string, Case>> = {
  core: {
    Redlock: { ...takes({ nodes }), rejects: '`options` must be { nodes: [...], ... }' },
    LockedError: takes(['k'], { retryAfter: 5, nodes: [] }),
    QuorumError: takes(['k'], { retryAfter: 5, nodes: [] }),
    LockLostError: takes(['k'], 'id', 'why'),
    adopt: { args: async () => [redlock, core.serialize(await held()), {}] },
    forceRelease: withKey({}),
    fromEnv: takes({ REDLOCK_NODES: [account] }, {}),
    inspect: withKey({}),
    inspectSlots: withKey({ limit: 2 }),
    ioredisNode: takes(new Ioredis(own), { name: 'a' }),
    isLockLostError: error,
    isLockedError: error,
    isQuorumError: error,
    lockKey: { ...takes('a', 'b'), rejects: 'any' },
    nodeRedisNode: takes(createClient(), { name: 'a' }),
    quarantine: takes({}),
    restNode: takes(account),
    serialize: { args: async () => [await held()] },
    throttle: withKey({ window: 5_000 }),
    ttlOf: { args: async () => [await held()] },
    upstashNode: takes(new Upstash({ ...account, enableTelemetry: false }), { name: 'a' }),
    withKeyLocking: takes(account),
    withKeyNames: takes(redlock, (key: string) => `mutex:${key}`),
    withSlots: takes(redlock),
    withTracing: takes(redlock, { tracer: { startActiveSpan: send } }),
    withWakeUp: takes(redlock),
  },
  customNode: {
    applyCommand: takes(inspecting, new Map(), { now: 0, serverId: 'id' }),
    keysOf: takes(inspecting, {}),
  },
  doctor: {
    check: takes(redlock),
    diagnose: { args: async () => [await doctor.check(redlock)] },
    nodeStates: takes(redlock),
  },
  fetch: {
    problem,
    toResponse: error,
    withLock: takes(locking, handler),
    withThrottle: takes(throttling, handler),
  },
  gateway: { gateway: takes({ token: 't', send, transaction: send }) },
  guards: {
    StaleTokenError: takes('r', 1, 2),
    fenceHeaders: takes(7),
    fenced: takes({}),
    isStaleTokenError: error,
    memoryGuard: takes(),
    redisGuard: takes({ eval: send }, {}),
    sqlGuard: takes({ dialect: 'sqlite', table: 'fences' }),
  },
  hono: {
    lock: takes(locking),
    locks: takes({ redlock }),
    problem,
    throttle: takes(throttling),
    toResponse: error,
  },
  idempotency: {
    NotRecordedError: takes('k', 'not-kept', { value: 1 }, undefined),
    ReplayedError: takes('k', { name: 'Error', message: 'x' }),
    bodyStore: takes({ put: send, get: send }),
    d1Store: takes({ prepare: send }, {}),
    forget: withKey({}),
    idempotent: takes(once),
    isNotRecordedError: error,
    isReplayedError: error,
    kvStore: takes({ get: send, put: send }, {}),
    locks: takes(once),
    once: withKey({ keepFor: 60_000 }, () => 7),
    problem,
    r2Store: takes({ get: send, put: send }, {}),
    toResponse: error,
    withIdempotency: takes(once, handler),
  },
  node: {
    idempotent: takes(once),
    lock: takes(locking),
    lockOf: takes({}),
    problem,
    throttle: takes(throttling),
    toResponse: error,
  },
  testing: {
    memoryNode: takes({}),
    memoryNodes: takes(3, {}),
    testNode: takes(testing.memoryNode(), { sequences: 1 }),
  },
}

const entries: Record<string, Readonly<Record<string, unknown>>> = {
  core,
  customNode,
  doctor,
  fetch: fetchEntry,
  gateway: gatewayEntry,
  guards,
  hono: honoEntry,
  idempotency,
  node: nodeEntry,
  testing,
}

/** What becomes of a call: its message, or the kind and the names of its result. */
const outcomeOf = async (called: Anything, args: readonly unknown[]): Promise<unknown> => {
  const isClass = Function.prototype.toString.call(called).startsWith('class')
  try {
    const made = await (isClass ? Reflect.construct(called, args) : called(...(args as never[])))
    const kind: unknown = Object(made).constructor
    return [
      kind,
      made instanceof Error && made.message.replace(/"[\w-]{36}"/, ''),
      Object.keys(Object(made)),
    ]
  } catch (failure) {
    return (failure as Error).message.replace(/"[\w-]{36}"/, '')
  }
}

const rows = Object.entries(cases).flatMap(([entry, functions]) =>
  Object.entries(functions).map(
    ([name, given]) => [`${entry}: ${name}`, entry, name, given] as const,
  ),
)

it('the table has every exported function', () => {
  for (const [entry, exported] of Object.entries(entries)) {
    const functions = Object.keys(exported).filter((name) => typeof exported[name] === 'function')
    expect([entry, ...Object.keys(cases[entry]!).sort()]).toEqual([entry, ...functions.sort()])
  }
})

describe('an argument behind the last one has no effect, or is rejected by name:', () => {
  it.each(rows)('%s', async (_, entry, name, { args, rejects }) => {
    const called = entries[entry]![name] as Anything
    const usual = await outcomeOf(called, await args())
    expect(typeof usual === 'string' ? usual : '').toBe('')
    for (const extra of [0, 1, 'text', { ttl: 500, key: 'k' }, denied, send]) {
      const given = [...(await args()), extra, [account]]
      const outcome = await outcomeOf(called, given)
      if (rejects === 'any') continue
      if (rejects) expect(outcome).toContain(rejects)
      else expect(outcome).toEqual(usual)
    }
  })
})

it.each([
  ['restNode', core.restNode],
  ['withKeyLocking', core.withKeyLocking],
] as const)('%s is a callback of map', (_, make) => {
  const made = [account, { ...account, url: 'https://b.example' }].map(make)
  expect(made.map((node) => node.name)).toEqual(['https://a.example', 'https://b.example'])
  const wrong = (): unknown => [{ url: 7, token: 't' } as never].map(make)
  expect(wrong).toThrow('`node.url` must be')
})

it.each<[string, Anything]>([
  ['ioredisNode', core.ioredisNode],
  ['nodeRedisNode', core.nodeRedisNode],
  ['upstashNode', core.upstashNode],
])('%s, whose second argument is options, says so where it is a callback of map', (name, make) => {
  const [client] = cases['core']![name]!.args() as never[]
  expect(() => [client!].map((one, index) => make(one, index as never))).toThrow(
    '`options` must be an object in',
  )
})
