import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, inject, it } from 'vitest'
import type { LockNode } from '../../src/entries/custom-node.ts'
import { restNode, type RestNodeOptions } from '../../src/index.ts'
import { memoryNode, testNode } from '../../src/entries/testing.ts'
import { nodeByHand } from './by-hand.ts'
import { voteOn, votes } from './vote-on.ts'
import { mapNode } from './map-node.ts'
import { sqliteNode } from './sqlite-node.ts'
import { type SqliteProcess, startSqlite } from './start-sqlite.ts'

const redis = JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[]
const kinds: Readonly<Record<string, (name: string) => LockNode | Promise<LockNode>>> = {
  'the memory node': (name) => memoryNode({ name }),
  Redis: (name) => restNode(redis[name.charCodeAt(0) % redis.length]!),
  'a Map': mapNode,
  SQLite: (name) => sqliteNode(name, new DatabaseSync(':memory:')),
}

describe.each(Object.entries(kinds))('a node over %s', (_, make) => {
  it('passes the test of nodes', async () => {
    const { skipped } = await testNode(await make('tested'), { sequences: 20 })
    expect(skipped.map(({ test }) => test)).toEqual(['connections', 'restart'])
  })

  it('votes on locks, slots, throttles and records', async () => {
    const nodes = await Promise.all(['a', 'b', 'c'].map(async (name) => make(name)))
    await expect(voteOn(nodes)).resolves.toEqual(votes)
  })
})

it('a node by hand passes the test of nodes for locks and throttles', async () => {
  const { passed, skipped } = await testNode(nodeByHand('by hand'), { features: [] })
  expect(passed).toContain('random sequences')
  expect(skipped).toContainEqual({ test: 'slots', reason: "`features` lacks 'slots'" })
})

it('a node over SQLite passes with processes that compete, and are killed', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'edge-redlock-sqlite-'))
  const file = join(folder.path, 'locks.sqlite')
  const processes: SqliteProcess[] = []
  const connect = async (): Promise<LockNode> => {
    const one = await startSqlite(file)
    processes.push(one)
    return one.node
  }
  const restart = async (): Promise<LockNode> => {
    await Promise.all(processes.splice(0).map(({ kill }) => kill()))
    return connect()
  }
  const { skipped } = await testNode(await connect(), { connect, restart, sequences: 10 })
  expect(skipped).toEqual([])
  await Promise.all(processes.map(({ kill }) => kill()))
})
