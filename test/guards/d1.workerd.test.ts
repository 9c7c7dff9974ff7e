import { env } from 'cloudflare:workers'
import { type Database, sqlGuardSuite } from './sql-guard.ts'

type Statement = {
  bind: (...params: unknown[]) => Statement
  all: () => Promise<{ results: unknown[] }>
}
type D1 = {
  prepare: (sql: string) => Statement
  batch: (statements: Statement[]) => Promise<unknown>
}
const database = env['DB'] as D1

sqlGuardSuite('D1, in workerd', async (): Promise<Database> => ({
  dialect: 'sqlite',
  execute: async (sql) => database.prepare(sql).all(),
  // A batch is the only transaction that D1 has.
  write: async ({ sql, params }, write) =>
    database.batch([database.prepare(sql).bind(...params), database.prepare(write)]),
  rows: async (sql) => (await database.prepare(sql).all()).results,
}))
