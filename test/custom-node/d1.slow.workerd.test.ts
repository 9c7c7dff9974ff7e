import { env } from 'cloudflare:workers'
import { beforeAll, expect, it } from 'vitest'
import schema from '../../examples/d1/schema.sql?raw'
import { type D1, d1Node, removeExpired } from '../../examples/d1/node.ts'
import worker from '../../examples/d1/worker.ts'
import type { Command } from '../../src/entries/custom-node.ts'
import { Redlock } from '../../src/index.ts'
import { testNode } from '../../src/entries/testing.ts'
import { voteOn, votes } from './vote-on.ts'

const databases = { A: env['DB'] as D1, B: env['LOCKS_B'] as D1, C: env['LOCKS_C'] as D1 }
const database = databases.A

beforeAll(async () => {
  for (const statement of schema.split(';').filter((sql) => sql.trim()))
    for (const one of Object.values(databases)) await one.prepare(statement).bind().all()
})

it('three databases vote on everything', async () => {
  const nodes = Object.entries(databases).map(([name, one]) => d1Node(name, one))
  expect(await voteOn(nodes)).toEqual(votes)
})

it('the Worker of the example runs a report once at a time, and deletes expired rows', async () => {
  const post = async (): Promise<number> => {
    const request = new Request('https://example.com/reports/7', { method: 'POST' })
    return (await worker.fetch(request, databases)).status
  }
  expect(await post()).toBe(200)
  await worker.scheduled(undefined, databases)
  const other = new Redlock({ nodes: Object.entries(databases).map((one) => d1Node(...one)) })
  const held = await other.acquire('report:7')
  expect(await post()).toBe(409)
  await held.release()
  expect(await post()).toBe(200)
})

it('the node over D1 passes, with callers that compete', async () => {
  const connect = () => d1Node('d1', database)
  const { skipped } = await testNode(connect(), { connect, connections: 1, sequences: 5 })
  expect(skipped.map(({ test }) => test)).toEqual(['restart'])
}, 180_000)

it('counts each further query of a command', async () => {
  const node = d1Node('counted', database)
  let further = 0
  const command: Command = {
    op: 'acquire',
    keys: ['counted:l'],
    fences: ['counted:f'],
    tombstone: 'counted:x',
    identity: 'id',
    owner: 'a',
    value: 'a',
    fenceTtl: 60_000,
    ttl: 30_000,
    minCounter: Date.now(),
  }
  const { signal } = new AbortController()
  await node.run(command, { signal, serverId: 'id', onResend: () => void further++ })
  expect(further).toBe(1)
  expect(node.usesFetch).toBe(true)
})

it('is noticed if it does not compare', async () => {
  const careless: D1 = {
    prepare: (sql) => database.prepare(sql.replace('WHERE NOT EXISTS', 'WHERE 1 OR NOT EXISTS')),
  }
  const node = d1Node('careless', careless)
  await expect(testNode(node, { sequences: 1 })).rejects.toThrow(', concurrency: ')
})

it('keeps the rows that have not expired', async () => {
  const before = await database.prepare('SELECT count(*) AS n FROM locks').bind().all()
  await database.prepare(removeExpired).bind(Date.now()).all()
  const after = await database.prepare('SELECT count(*) AS n FROM locks').bind().all()
  const [{ n: all }, { n: left }] = [...before.results, ...after.results] as [
    { n: number },
    { n: number },
  ]
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThan(all)
})
