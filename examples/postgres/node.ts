import {
  type Applied,
  applyCommand,
  keysOf,
  type LockNode,
  type Row,
} from 'edge-redlock/custom-node'

/** Runs a statement, and resolves to its rows. */
export type Query = (text: string, values: unknown[]) => Promise<readonly object[]>
/** Runs queries in one transaction of isolation level READ COMMITTED. */
export type Transaction = <T>(run: (query: Query) => Promise<T>) => Promise<T>

// Takes one advisory lock per key, in the order of `keysOf`, and so waits for other commands on these keys. The server
// ID ($2) is written once and read by every command, so it needs a lock only until it exists.
const lock = `SELECT pg_advisory_xact_lock(hashtextextended(wanted.key, 0)) FROM unnest($1::text[]) AS wanted (key)
  WHERE wanted.key <> $2 OR NOT EXISTS (SELECT FROM locks WHERE locks.key = $2)`
const read = `SELECT key, value, expires_at AS "expiresAt" FROM locks WHERE key = ANY($1::text[])`
const time = `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`
const write = `INSERT INTO locks (key, value, expires_at) VALUES ($1, $2, $3)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`
const remove = `DELETE FROM locks WHERE key = $1`

/** Creates a node that stores locks in PostgreSQL, in the table of schema.sql. It uses the clock of the database. */
export const postgresNode = (name: string, transaction: Transaction): LockNode => ({
  name,
  run: async (command, options) => {
    const keys = keysOf(command, options)
    return transaction(async (query) => {
      const decide = async (): Promise<Applied> => {
        const [{ now }] = (await query(time, [])) as [{ readonly now: number }]
        const found = (await query(read, [keys])) as (Row & { readonly key: string })[]
        const rows = new Map(found.map((row) => [row.key, row]))
        return applyCommand(command, rows, { ...options, now })
      }
      // A rejection changes nothing, so it needs no advisory lock.
      const { reply, changes } = await decide()
      if (changes.size === 0) return reply
      await query(lock, [keys, 'identity' in command ? command.identity : null])
      const decided = await decide()
      for (const [key, row] of decided.changes) {
        await (row ? query(write, [key, row.value, row.expiresAt]) : query(remove, [key]))
      }
      return decided.reply
    })
  },
})

/** Deletes expired rows. Run it about every minute, for example from cron. */
export const removeExpired = `DELETE FROM locks WHERE expires_at < extract(epoch FROM now()) * 1000`
