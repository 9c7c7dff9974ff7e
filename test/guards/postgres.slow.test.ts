import { PGlite } from '@electric-sql/pglite'
import { afterAll } from 'vitest'
import { type Database, sqlGuardSuite } from './sql-guard.ts'

// PGlite is PostgreSQL compiled to WebAssembly.
const database = await PGlite.create()
afterAll(() => database.close())

sqlGuardSuite('PostgreSQL', async (): Promise<Database> => ({
  dialect: 'postgres',
  execute: async (sql) => database.exec(sql),
  write: async ({ sql, params }, write) =>
    database.transaction(async (transaction) => {
      await transaction.query(sql, [...params])
      await transaction.query(write)
    }),
  rows: async (sql) => (await database.query(sql)).rows,
}))
