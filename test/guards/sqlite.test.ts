import { DatabaseSync } from 'node:sqlite'
import { type Database, sqlGuardSuite } from './sql-guard.ts'

const database = new DatabaseSync(':memory:')

sqlGuardSuite('SQLite', async (): Promise<Database> => ({
  dialect: 'sqlite',
  execute: async (sql) => database.exec(sql),
  write: async ({ sql, params }, write) => {
    database.exec('BEGIN')
    try {
      database.prepare(sql).run(...params)
      database.exec(write)
      database.exec('COMMIT')
    } catch (error) {
      database.exec('ROLLBACK')
      throw error
    }
  },
  rows: async (sql) => structuredClone(database.prepare(sql).all()),
}))
