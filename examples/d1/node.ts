import { applyCommand, keysOf, type LockNode, type Row } from 'edge-redlock/custom-node'

/** The part of D1 that this node uses. */
export type D1 = { readonly prepare: (sql: string) => Statement }
type Statement = {
  readonly bind: (...values: unknown[]) => Statement
  readonly all: () => Promise<{ readonly results: unknown[]; readonly meta: { changes: number } }>
}
type Stored = { readonly key: string; readonly value: string; readonly expires_at: number | null }

const read = `SELECT key, value, expires_at FROM locks WHERE key IN (SELECT value FROM json_each(?1))`
// D1 has no interactive transactions, but each statement is a transaction. This statement compares and writes: if a row
// has changed since it was read, nothing is written. The rows of ?1 are [key, value, expires_at], with nulls for a
// missing value.
const compareAndWrite = `INSERT INTO locks (key, value, expires_at)
  SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?2) WHERE NOT EXISTS (
    SELECT 1 FROM json_each(?1) AS seen LEFT JOIN locks ON locks.key = seen.value ->> 0
    WHERE locks.value IS NOT seen.value ->> 1 OR locks.expires_at IS NOT seen.value ->> 2)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`

/** Creates a node that stores locks in D1, in the table of schema.sql. It uses the clock of the Worker. */
export const d1Node = (name: string, database: D1): LockNode => ({
  name,
  // Workers limit queries as they limit requests, so each query counts toward the client's `budget`.
  usesFetch: true,
  run: async (command, options) => {
    const keys = keysOf(command, options)
    for (let turn = 0; ; turn++) {
      options.signal.throwIfAborted()
      if (turn > 0) options.onResend?.()
      const found = await database.prepare(read).bind(JSON.stringify(keys)).all()
      const stored = new Map((found.results as Stored[]).map((row) => [row.key, row]))
      const rows = new Map<string, Row>()
      for (const { key, value, expires_at } of stored.values())
        rows.set(key, { value, expiresAt: expires_at ?? Infinity })
      const { reply, changes } = applyCommand(command, rows, { ...options, now: Date.now() })
      if (changes.size === 0) return reply
      const seen = keys.map((key) => [key, stored.get(key)?.value, stored.get(key)?.expires_at])
      // To delete a row, make it expire. JSON writes Infinity as null.
      const writes = [...changes].map(([key, row]) => [
        key,
        row?.value ?? '',
        row ? row.expiresAt : 0,
      ])
      options.onResend?.()
      const statement = database.prepare(compareAndWrite)
      const { meta } = await statement.bind(JSON.stringify(seen), JSON.stringify(writes)).all()
      if (meta.changes > 0) return reply
    }
  },
})

/** Deletes expired rows. Run it from a cron trigger. */
export const removeExpired = `DELETE FROM locks WHERE expires_at < ?1`
