import type { DatabaseSync } from 'node:sqlite'
import { applyCommand, keysOf, type LockNode, type Row } from 'edge-redlock/custom-node'

/** A node over SQLite. A table has the keys of all locks, each with the time at which it expires. */
export const sqliteNode = (name: string, database: DatabaseSync): LockNode => {
  database.exec(
    'CREATE TABLE IF NOT EXISTS locks (key TEXT PRIMARY KEY, value TEXT, expires_at REAL)',
  )
  const select = database.prepare(
    'SELECT value, expires_at AS "expiresAt" FROM locks WHERE key = ?',
  )
  const upsert = database.prepare('INSERT OR REPLACE INTO locks VALUES (?, ?, ?)')
  const remove = database.prepare('DELETE FROM locks WHERE key = ?')
  return {
    name,
    run: async (command, options) => {
      const keys = keysOf(command, options)
      database.exec('BEGIN IMMEDIATE')
      try {
        const rows = new Map<string, Row>()
        for (const key of keys) {
          const row = select.get(key) as Row | undefined
          if (row) rows.set(key, row)
        }
        const { reply, changes } = applyCommand(command, rows, { ...options, now: Date.now() })
        for (const [key, row] of changes) {
          if (row) upsert.run(key, row.value, row.expiresAt)
          else remove.run(key)
        }
        database.exec('COMMIT')
        return reply
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
  }
}
