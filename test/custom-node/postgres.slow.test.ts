import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { execa } from 'execa'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { postgresNode, removeExpired } from '../../examples/postgres/node.ts'
import { openNode, transactionsOf } from '../../examples/postgres/redlock.ts'
import type { Command, LockNode } from '../../src/entries/custom-node.ts'
import { testNode } from '../../src/entries/testing.ts'
import { type PostgresServer, startPostgres } from '../../tools/servers/postgres.ts'
import { eventually } from '../support/eventually.ts'
import { voteOn, votes } from './vote-on.ts'

// The example over real servers: several connections, processes that compete, and a server that crashes.

const root = join(import.meta.dirname, '../..')
const schema = await readFile(join(root, 'examples/postgres/schema.sql'), 'utf8')

const [preload, competing] = ['from-sources.ts', 'compete-process.ts'].map((name) =>
  join(import.meta.dirname, name),
) as [string, string]

let servers: PostgresServer[]
beforeAll(async () => {
  // One after the other: they may have to be installed.
  servers = []
  for (let index = 0; index < 3; index++) servers.push(await startPostgres())
  for (const { url } of servers) {
    const sql = new pg.Pool({ connectionString: url })
    await sql.query(schema)
    await sql.end()
  }
}, 120_000)
afterAll(async () => void (await Promise.all(servers.map(({ stop }) => stop()))))

/** Opens connections that are closed in the end. */
const connections = (): {
  readonly connect: () => LockNode
  readonly close: () => Promise<void>
} => {
  const opened: { readonly close: () => Promise<void> }[] = []
  return {
    connect: () => {
      const { node, close } = openNode(servers[0]!.url)
      opened.push({ close })
      return node
    },
    close: async () => void (await Promise.all(opened.map(({ close }) => close()))),
  }
}

// Every command waits for the disk, which takes long on a busy machine.
vi.setConfig({ testTimeout: 300_000 })

describe('a node over PostgreSQL', () => {
  it('passes every test of nodes, over several connections and through a crash', async () => {
    const { connect, close } = connections()
    const restart = async (): Promise<LockNode> => {
      await servers[0]!.crash()
      await servers[0]!.restart()
      return connect()
    }
    const { skipped } = await testNode(connect(), { connect, restart, sequences: 20 })
    expect(skipped).toEqual([])
    await close()
  })

  it('frees the keys of a process that stands still within a transaction', async () => {
    const { connect, close } = connections()
    const sql = new pg.Pool({ connectionString: servers[0]!.url })
    const transaction = transactionsOf(sql)
    let whenLocked: (() => void) | undefined
    const locked = new Promise<void>((resolve) => (whenLocked = resolve))
    const still = postgresNode('still', (run) =>
      transaction((query) =>
        run(async (text, values) => {
          const rows = await query(text, values)
          if (text.includes('pg_advisory')) {
            whenLocked!()
            await pause(3_000)
          }
          return rows
        }),
      ),
    )
    const command = (value: string): Command => ({
      op: 'acquire',
      keys: ['still:l'],
      fences: ['still:f'],
      tombstone: `still:${value}`,
      identity: 'id',
      owner: value,
      value,
      fenceTtl: 60_000,
      ttl: 30_000,
      minCounter: Date.now(),
    })
    const { signal } = new AbortController()
    const options = { signal, serverId: 'id' }
    const failed = still.run(command('a'), options).catch((error: unknown) => error)
    await locked
    await pause(1_000)
    await expect(connect().run(command('b'), options)).resolves.toMatchObject({ status: 'granted' })
    await expect(failed).resolves.toMatchObject({ retryable: true })
    await sql.end()
    await close()
  })

  it('votes on everything, over three databases', async () => {
    const opened = servers.map(({ url }) => openNode(url))
    await expect(voteOn(opened.map(({ node }) => node))).resolves.toEqual(votes)
    await Promise.all(opened.map(({ close }) => close()))
  })

  it('runs the job of the example, with a higher token each time', async () => {
    const job = ['--import', preload, join(root, 'examples/postgres/job.ts')]
    const env = { DATABASE_URLS: JSON.stringify(servers.map(({ url }) => url)) }
    const tokens: number[] = []
    for (let turn = 0; turn < 2; turn++) {
      const { stdout } = await execa('node', job, { env, preferLocal: true, localDir: root })
      tokens.push(Number(/^The job runs with token (\d+)$/.exec(stdout)?.[1]))
    }
    expect(tokens[1]).toBeGreaterThan(tokens[0]!)
  })

  it.each([
    ['takes no locks', /pg_advisory/],
    ['locks only one key', /unnest\(\$1::text\[\]\)/],
  ])('is noticed by the test of nodes if it %s', async (_, part) => {
    const sql = new pg.Pool({ connectionString: servers[0]!.url, max: 20 })
    const transaction = transactionsOf(sql)
    const broken = postgresNode('broken', (run) =>
      transaction((query) =>
        run((text, values) => {
          if (!part.test(text)) return query(text, values)
          if (part.source.startsWith('pg')) return query('SELECT', [])
          return query(text.replace(part, 'unnest(($1::text[])[1:1])'), values)
        }),
      ),
    )
    await expect(testNode(broken, { sequences: 1 })).rejects.toThrow(', concurrency: ')
    await sql.end()
  })

  it('keeps what has not expired when the rest is removed', async () => {
    const { connect, close } = connections()
    const sql = new pg.Pool({ connectionString: servers[0]!.url })
    await testNode(connect(), { sequences: 1 })
    const count = async (): Promise<number> =>
      Number((await sql.query('SELECT count(*) FROM locks')).rows[0].count)
    const before = await count()
    await sql.query(removeExpired)
    const after = await count()
    expect(after).toBeGreaterThan(0)
    expect(after).toBeLessThan(before)
    await sql.end()
    await close()
  })
})

it('the start of the checkpointer tells that one backend crashed, which the start of the server does not', async () => {
  const pool = new pg.Pool({ connectionString: servers[2]!.url, max: 1 })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const read = async (): Promise<Record<'pid' | 'server' | 'run', string | number | null>> => {
    const { rows } = await pool.query(`SELECT pg_backend_pid() AS pid,
      pg_postmaster_start_time()::text AS server, (SELECT backend_start::text
      FROM pg_stat_activity WHERE backend_type = 'checkpointer') AS run`)
    return rows[0]
  }
  const before = await read()
  process.kill(before.pid as number, 'SIGKILL')
  await eventually(async () => expect((await read()).pid).not.toBe(before.pid))
  const after = await read()
  expect(after.server).toBe(before.server)
  expect(after.run).toEqual(expect.any(String))
  expect(after.run).not.toBe(before.run)
  await pool.end()
})

it('has one holder at a time of four processes, while one of three databases is down', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'edge-redlock-compete-'))
  const tokens = async (): Promise<number[]> => {
    const text = await readFile(join(folder.path, 'tokens'), 'utf8').catch(() => '')
    return text.split('\n').filter(Boolean).map(Number)
  }
  const urls = servers.map(({ url }) => url)
  const processes = Array.from({ length: 4 }, () =>
    execa('node', ['--import', preload, competing, folder.path, ...urls], {
      preferLocal: true,
      localDir: root,
    }),
  )
  const phase = async (name: string, more: number): Promise<void> => {
    const [before, begun] = [(await tokens()).length, performance.now()]
    await eventually(async () => expect((await tokens()).length).toBeGreaterThan(before + more))
    const rate = ((await tokens()).length - before) / (performance.now() - begun)
    console.log(`${name}: ${Math.round(rate * 1_000)} holders per second`)
  }
  try {
    await phase('three databases', 50)
    await servers[1]!.crash()
    await phase('one database killed', 100)
    await servers[1]!.restart()
    await phase('three databases again', 50)
  } finally {
    await writeFile(join(folder.path, 'stop'), '')
  }
  const outputs = await Promise.all(processes)
  const held = outputs.map(({ stdout }) => (JSON.parse(stdout) as { held: number }).held)
  console.log(outputs.map(({ stdout }) => stdout).join('\n'))
  const all = await tokens()
  expect(all).toEqual([...new Set(all)].sort((a, b) => a - b))
  expect(held.reduce((sum, one) => sum + one, 0)).toBe(all.length)
  expect(Math.min(...held)).toBeGreaterThan(0)
}, 120_000)
