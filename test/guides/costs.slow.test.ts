import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Redlock, type RedlockOptions } from '../../src/index.ts'
import { lockScript } from '../../src/protocol/lock-script.ts'
import { type Cluster, startCluster } from '../../tools/servers/cluster.ts'
import { freshKey } from '../support/nodes.ts'

// Counts the requests of each step, and the commands that real servers execute for them, and compares
// the table of docs/guides/cloudflare.md.

const page = fileURLToPath(new URL('../../docs/guides/cloudflare.md', import.meta.url))

// Servers that no other test uses at the same time.
let cluster: Cluster
let servers: Redis[]
beforeAll(async () => {
  cluster = await startCluster({ count: 3 })
  servers = cluster.nodes.map(({ redis }) => new Redis(redis!.port))
})
afterAll(async () => {
  for (const server of servers) server.disconnect()
  await cluster.close()
})

/** Redis rejects the flag of `keyLocking`, so the server gets the same script without it. */
const withoutFlag: typeof fetch = (url, init) => {
  const [name, script, ...rest] = JSON.parse(init?.body as string) as string[]
  const isScript = name === 'EVALSHA' || (name === 'EVAL' && script!.includes('allow-key-locking'))
  const body = JSON.stringify(
    isScript ? ['EVAL', lockScript.source, ...rest] : [name, script, ...rest],
  )
  return fetch(url, { ...init, body })
}

/** A client with a memory of its own, as in another isolate. */
const clientOf = (keyLocking: boolean, options: Partial<RedlockOptions> = {}): Redlock => {
  const own: typeof fetch = (url, init) => (keyLocking ? withoutFlag : fetch)(url, init)
  const nodes = cluster.nodes.map(({ url, token }) => ({ url, token, keyLocking, fetch: own }))
  return new Redlock({ ttl: 10_000, ...options, nodes })
}

type Counts = { readonly requests: number; readonly commands: number }

/** The commands that the servers have executed so far, without those of this measurement. */
const executed = async (): Promise<Counts> => {
  const counts = { requests: 0, commands: 0 }
  for (const server of servers) {
    const stats = await server.info('commandstats')
    for (const [, name, calls] of stats.matchAll(/cmdstat_([\w|]+):calls=(\d+)/g)) {
      if (name === 'info') continue
      counts.commands += Number(calls)
      if (name === 'eval' || name === 'evalsha') counts.requests += Number(calls)
    }
  }
  return counts
}

/** Waits until nothing more is executed: releases continue after their calls. */
const settled = async (): Promise<Counts> => {
  let [last, now] = [await executed(), { requests: -1, commands: -1 }]
  while (last.commands !== now.commands) {
    now = last
    await new Promise((resolve) => setTimeout(resolve, 150))
    last = await executed()
  }
  return last
}

/** Runs a step after its preparation. @returns what it has cost. */
const measure = async (
  keyLocking: boolean,
  options: Partial<RedlockOptions>,
  prepare: (client: Redlock, other: Redlock, key: string) => Promise<unknown>,
  step: (client: Redlock, key: string, prepared: unknown) => Promise<unknown>,
): Promise<Counts> => {
  const [client, other] = [clientOf(keyLocking, options), clientOf(keyLocking, options)]
  // The first calls ask for the identity of the servers and load the script.
  for (const one of [client, other]) await (await one.acquire(freshKey())).release()
  const key = freshKey()
  const prepared = await prepare(client, other, key)
  const before = await settled()
  await step(client, key, prepared)
  const after = await settled()
  return { requests: after.requests - before.requests, commands: after.commands - before.commands }
}

/** The middle of three costs: on a busy machine, a request may be sent again, or a release be late. */
const costOf = async (...step: Parameters<typeof measure>): Promise<Counts> => {
  const costs = [await measure(...step), await measure(...step), await measure(...step)]
  return costs.sort((a, b) => a.commands - b.commands)[1]!
}

type Step = Parameters<typeof costOf> extends [boolean, ...infer Rest] ? Rest : never
const nothing = async (): Promise<void> => {}
const window = 30_000
const steps: Record<string, Step> = {
  'lock: acquired and released': [
    {},
    nothing,
    async (client, key) => (await client.acquire(key)).release(),
  ],
  'lock: held by another client': [
    {},
    (_, other, key) => other.acquire(key),
    (client, key) => client.tryAcquire(key),
  ],
  'lock: extended once': [
    {},
    (client, _, key) => client.acquire(key),
    (_client, _key, lock) => (lock as Awaited<ReturnType<Redlock['acquire']>>).extend(),
  ],
  'throttle: passes': [{}, nothing, (client, key) => client.throttle(key, { window })],
  'throttle: refused, first time in an isolate': [
    {},
    (_, other, key) => other.throttle(key, { window }),
    (client, key) => client.throttle(key, { window }),
  ],
  'throttle: refused again': [
    {},
    (client, _, key) => client.throttle(key, { window }),
    (client, key) => client.throttle(key, { window }),
  ],
  "lock: held by another client, `strategy: 'frugal'`": [
    { strategy: 'frugal' },
    (_, other, key) => other.acquire(key),
    (client, key) => client.tryAcquire(key),
  ],
}

it('are what the table of the guide says', async () => {
  const markdown = await readFile(page, 'utf8')
  const rows: string[] = []
  for (const [name, step] of Object.entries(steps)) {
    const usual = await costOf(false, ...step)
    const locking = await costOf(true, ...step)
    expect(locking.requests).toBe(usual.requests)
    rows.push(`| ${name} | ${usual.requests} | ${usual.commands} | ${locking.commands} |`)
  }
  const table = markdown
    .split('\n')
    .filter((line) => /^\| (?:lock|throttle): .* \d+ \|$/.test(line))
  expect(table).toEqual(rows)
})
