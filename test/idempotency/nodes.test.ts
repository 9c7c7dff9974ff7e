import { Redis as UpstashRedis } from '@upstash/redis'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import {
  ioredisNode,
  type LockNode,
  nodeRedisNode,
  Redlock,
  type RestNodeOptions,
  upstashNode,
  withKeyLocking,
} from '../../src/index.ts'
import { lockScript } from '../../src/redis/scripts/lock-script.ts'
import { recordScript } from '../../src/redis/scripts/record-script.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { keyLockingSha } from '../support/key-locking.ts'
import { freshKey } from '../support/nodes.ts'
import { appWith } from './app.ts'
import { realNodes } from '../support/real-nodes.ts'

// Records go through every kind of node unchanged, and clients of different kinds share them.

const servers = realNodes.slice(0, 3)
const ports = inject('REDIS_PORTS').slice(0, 3)
const ioredis = ports.map(
  (port) => new Redis({ port, enableOfflineQueue: false, maxRetriesPerRequest: 0 }),
)
const nodeRedis = ports.map((port) => createClient({ url: `redis://127.0.0.1:${port}` }))
beforeAll(async () => void (await Promise.all(nodeRedis.map((client) => client.connect()))))
afterAll(() => {
  for (const client of ioredis) client.disconnect()
  for (const client of nodeRedis) client.destroy()
})

/** A server that asks for the first line of Upstash, and runs the rest. */
const keyLocking = (node: RestNodeOptions): LockNode => {
  const known = new Map(
    [lockScript, recordScript].map((script) => [keyLockingSha(script), script.source]),
  )
  return withKeyLocking({
    ...node,
    fetch: (url, init) => {
      const [, sha, ...rest] = JSON.parse(init!.body as string) as string[]
      const source = known.get(sha!)
      expect(source).toBeDefined()
      return fetch(url, { ...init!, body: JSON.stringify(['EVAL', source, ...rest]) })
    },
  })
}

const upstash = (options: object): LockNode[] =>
  servers.map(({ url, token }) =>
    upstashNode(new UpstashRedis({ url, token, enableTelemetry: false, ...options })),
  )

it.each<[string, () => readonly (LockNode | RestNodeOptions)[]]>([
  ['REST', () => servers],
  ['REST with key locking', () => servers.map(keyLocking)],
  ['@upstash/redis', () => upstash({})],
  ['@upstash/redis without an encoding', () => upstash({ responseEncoding: false })],
  ['ioredis', () => ioredis.map((client) => ioredisNode(client))],
  ['node-redis', () => nodeRedis.map((client) => nodeRedisNode(client))],
  ['memory', () => memoryNodes(3)],
])('a record is the same over %s', async (kind, nodes) => {
  const text = '{"price":1e3,"text":"€ \\u0000 😀"}'
  const app = appWith(new Redlock({ nodes: nodes() }), () =>
    Response.json(JSON.parse(text), { status: 201, headers: { location: '/ü' } }),
  )
  const key = freshKey()
  const first = await (await app.post(key)).text()
  const replay = await app.post(key)
  expect(replay.headers.get('idempotent-replayed')).toBe('true')
  expect(replay.headers.get('location')).toBe('/ü')
  expect(await replay.text()).toBe(first)
  expect((await app.post(key, 'other')).status).toBe(422)
  expect(app.runs()).toBe(1)
  if (kind === 'memory') return
  const other = appWith(servers, () => new Response('ran again'))
  expect(await (await other.post(key)).text()).toBe(first)
})

it('hands no answer of the application to `onEvent`', async () => {
  const events: unknown[] = []
  const redlock = new Redlock({ nodes: servers, onEvent: (event) => void events.push(event) })
  const app = appWith(redlock, () => new Response('secret of the answer'))
  const key = freshKey()
  for (let turn = 0; turn < 3; turn++) await app.post(key)
  expect(events.map((event) => (event as { type: string }).type)).toEqual(
    expect.arrayContaining(['acquired', 'released']),
  )
  expect(JSON.stringify(events)).not.toContain(btoa('secret of the answer'))
})
