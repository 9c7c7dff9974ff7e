import { expect } from '../util/validate.ts'
import { checkFence, StaleTokenError } from './guard.ts'

export type SqlGuardOptions = {
  /** How parameters are written: `?` (SQLite, D1, libSQL) or `$1` (PostgreSQL). */
  readonly dialect: 'sqlite' | 'postgres'
  /** The table with the tokens; may be `schema.table`. Default `fences`. */
  readonly table?: string
}

/** A statement, as drivers take it. */
export type SqlStatement = {
  readonly sql: string
  readonly params: readonly [resource: string, token: number]
}

/** Keeps stale holders out of a SQL database. */
export type SqlGuard = {
  /** Makes the table, if it is not there yet. */
  readonly schema: string
  /**
   * Runs `work`, which is to execute the `check` and its own writes in one transaction. The check
   * fails when the token is stale, so that the database itself takes the writes back.
   *
   * @returns what `work` returns.
   * @throws {StaleTokenError} when the check failed; else what `work` throws.
   */
  readonly run: <T>(
    resource: string,
    token: number,
    work: (check: SqlStatement) => T | PromiseLike<T>,
  ) => Promise<T>
}

/**
 * A fencing guard for SQLite, Cloudflare D1 and PostgreSQL: one table with the highest token of each
 * resource, and one statement that either takes note of a token or fails.
 *
 * It fails by a constraint, not by a result: so it also guards a D1 `batch`, where nobody can look
 * at the result of the first statement before the second runs.
 *
 * @throws {TypeError} when the dialect is none of the two, or the table is no plain identifier.
 * @example
 * ```ts
 * const guard = sqlGuard({ dialect: 'sqlite' })
 * await guard.run('report:7', await lock.fence(), ({ sql, params }) =>
 *   env.DB.batch([
 *     env.DB.prepare(sql).bind(...params),
 *     env.DB.prepare('UPDATE reports SET text = ? WHERE id = 7').bind(text),
 *   ]),
 * )
 * ```
 */
export const sqlGuard = ({ dialect, table = 'fences' }: SqlGuardOptions): SqlGuard => {
  const isDialect = dialect === 'sqlite' || dialect === 'postgres'
  expect(isDialect, 'dialect', `'sqlite' or 'postgres'`, dialect)
  const isTable = typeof table === 'string' && /^([a-z_]\w{0,39}\.)?[a-z_]\w{0,39}$/i.test(table)
  expect(isTable, 'table', 'an identifier of at most 40 letters, digits and _', table)
  const [resourceSlot, tokenSlot] = dialect === 'sqlite' ? ['?', '?'] : ['$1', '$2']
  const name = table.split('.').at(-1)!
  // Databases say which constraint was violated, so it is called what it means.
  const constraint = `${name}_stale_token`
  const sql =
    `INSERT INTO ${table} (resource, token) VALUES (${resourceSlot}, ${tokenSlot}) ` +
    `ON CONFLICT (resource) DO UPDATE SET token = ` +
    `CASE WHEN excluded.token >= ${name}.token THEN excluded.token ELSE -1 END`
  const says = (error: unknown): boolean => {
    for (let one = error; one instanceof Object; one = (one as Error).cause) {
      const { message, constraint: named } = one as { message?: unknown; constraint?: unknown }
      if (named === constraint || String(message).includes(constraint)) return true
    }
    return false
  }
  return {
    schema:
      `CREATE TABLE IF NOT EXISTS ${table} (` +
      `resource TEXT NOT NULL PRIMARY KEY, token BIGINT NOT NULL, ` +
      `CONSTRAINT ${constraint} CHECK (token >= 0))`,
    run: async (resource, token, work) => {
      checkFence(resource, token)
      try {
        return await work({ sql, params: [resource, token] })
      } catch (error) {
        throw says(error) ? new StaleTokenError(resource, token) : error
      }
    },
  }
}
