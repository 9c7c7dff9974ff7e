import { assertOption, checkFunction, checkOptions } from '../../util/validate.ts'
import { type BodyStore, bodyStore } from './body-store.ts'

type Statement = {
  readonly bind: (...values: unknown[]) => Statement
  readonly run: () => Promise<unknown>
  readonly first: (column: string) => Promise<unknown>
}

/** The method of a Cloudflare D1 database that the store calls. */
export type D1DatabaseLike = { readonly prepare: (sql: string) => Statement }

/** Stores large bodies in a table. */
export type D1Store = BodyStore & {
  /** The SQL statement that creates the table unless it exists. */
  readonly schema: string
  /** The SQL statement that deletes expired bodies. Run it regularly, for example with a cron trigger. */
  readonly cleanup: string
}

/**
 * Stores large bodies in D1. D1 limits a row to 2 MB.
 *
 * @param options.table - The name of the table. Default: `idempotent_answers`.
 * @example
 * ```ts
 * const store = d1Store(env.DB)
 * await env.DB.exec(store.schema)
 * ```
 */
export const d1Store = (db: D1DatabaseLike, options: { table?: string } = {}): D1Store => {
  checkOptions('d1Store()', options, 'table')
  const { table = 'idempotent_answers' } = options
  checkFunction('db.prepare', db?.prepare)
  const isTable = typeof table === 'string' && /^[a-z_]\w{0,39}$/i.test(table)
  assertOption(isTable, 'table', 'an identifier of at most 40 letters, digits and _', table)
  const store = bodyStore({
    put: (id, body, ttl) =>
      db
        .prepare(
          `INSERT OR REPLACE INTO ${table} (id, body, expires_at) VALUES (?, ?, unixepoch() + ?)`,
        )
        .bind(id, body.buffer, Math.ceil(ttl / 1000))
        .run(),
    get: async (id) => {
      const sql = `SELECT body FROM ${table} WHERE id = ?`
      const body = (await db.prepare(sql).bind(id).first('body')) as number[] | ArrayBuffer | null
      return body && new Uint8Array(body as ArrayBuffer)
    },
  })
  return {
    ...store,
    schema: `CREATE TABLE IF NOT EXISTS ${table} (id TEXT NOT NULL PRIMARY KEY, body BLOB NOT NULL, expires_at INTEGER NOT NULL)`,
    cleanup: `DELETE FROM ${table} WHERE expires_at < unixepoch()`,
  }
}
