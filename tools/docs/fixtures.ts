import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { type Context, Hono } from 'hono'
import { Redlock, type RestNodeOptions } from '../../src/index.ts'
import { objectNamespace } from './object-namespace.ts'

// The values that examples use without declaring them: the bindings of a Worker, nodes, and functions for sample work.
// They use the cluster whose nodes are in the environment variables.

export const nodes = JSON.parse(process.env['REDLOCK_NODES']!) as RestNodeOptions[]
const [a, b, c] = nodes as [RestNodeOptions, RestNodeOptions, RestNodeOptions]

/** The part of D1 that the examples use, implemented with SQLite. */
function d1(): Database {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE reports (id INTEGER PRIMARY KEY, text TEXT)')
  const prepare = (sql: string, params: SQLInputValue[] = []): Statement => ({
    bind: (...bound) => prepare(sql, bound),
    run: () => void database.prepare(sql).run(...params),
  })
  return { prepare, batch: async (statements) => statements.forEach(({ run }) => run()) }
}
type Statement = {
  readonly bind: (...params: SQLInputValue[]) => Statement
  readonly run: () => void
}
type Database = {
  readonly prepare: (sql: string) => Statement
  readonly batch: (statements: Statement[]) => Promise<void>
}

/** The ports of the Redis servers behind the nodes. */
const redisPorts = process.env['REDIS_PORTS']!.split(',')

export const env = {
  REDLOCK_NODES: process.env['REDLOCK_NODES']!,
  URL_A: a.url,
  URL_B: b.url,
  URL_C: c.url,
  REDIS_A: `redis://127.0.0.1:${redisPorts[0]}`,
  REDIS_B: `redis://127.0.0.1:${redisPorts[1]}`,
  REDIS_C: `redis://127.0.0.1:${redisPorts[2]}`,
  TOKEN_A: a.token,
  TOKEN_B: b.token,
  TOKEN_C: c.token,
  SERVICE: { fetch },
  REDLOCK: objectNamespace(),
  DB: d1(),
  DATA_URL: a.url,
  DATA_TOKEN: a.token,
}
export const redlock: Redlock = new Redlock({ nodes, ttl: 5_000 })
/** The client of another process. */
export const other: Redlock = new Redlock({ nodes, ttl: 5_000 })

/** The port of the Redis behind the first node; NaN if no server is installed. */
export const redisPort = Number(redisPorts[0] || undefined)

/** A Worker, and the user who has signed in. */
export const app = new Hono<{ Bindings: { REDLOCK_NODES: string } }>()
export const userOf = (c: Context): string => c.req.header('x-user')!

export const userId = 'ada'
export const token = 'token-of-the-gateway'
type Work = { signal: AbortSignal | undefined }
const work = async ({ signal }: Work): Promise<string> => {
  signal?.throwIfAborted()
  return 'done'
}
export const render = work
export const gradeAll = work
/** Simulates a payment. */
export const charge = async (): Promise<string> => crypto.randomUUID()

/** A queue between two processes. */
export const queue = (() => {
  const messages: string[] = []
  return {
    send: async (message: string): Promise<void> => void messages.push(message),
    receive: async (): Promise<string> => messages.shift()!,
  }
})()

const post = async (path: string, body: unknown): Promise<unknown> => {
  const response = await fetch(a.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${a.token}` },
    body: JSON.stringify(body),
  })
  return response.json()
}

/** The functions of a Redis connection that a gateway needs: a command and a transaction. */
export const send = async (command: unknown): Promise<unknown> =>
  ((await post('', command)) as { result: unknown }).result
export const transaction = async (commands: unknown): Promise<unknown[]> =>
  ((await post('/multi-exec', commands)) as { result: unknown }[]).map(({ result }) => result)
