import { assertOption, checkFunction, checkOptions } from '../util/validate.ts'
import { checkFence, StaleTokenError } from './guard.ts'

// No library nests this many causes. Without a limit, an error that creates a new cause on each read would loop forever.
const maxCauses = 100

/**
 * Lists an error and, recursively, its `cause` and the `errors` of an `AggregateError`. Lists each error once, because
 * references can be circular, and at most 100 errors.
 */
const causesOf = (error: unknown): readonly object[] => {
  const found = new Set<object>()
  const add = (one: unknown): void => {
    if (typeof one === 'object' && one && found.size < maxCauses) found.add(one)
  }
  add(error)
  // This loop also visits the elements that it adds to the set.
  for (const one of found) {
    try {
      const { cause, errors } = one as { cause?: unknown; errors?: unknown }
      add(cause)
      if (Array.isArray(errors)) for (const each of errors) add(each)
    } catch {
      // Ignore a property that throws.
    }
  }
  return [...found]
}

/** Options of `sqlGuard()`. */
export type SqlGuardOptions = {
  /** The placeholders for parameters: `?` for SQLite, D1 and libSQL, `$1` for PostgreSQL. */
  readonly dialect: 'sqlite' | 'postgres'
  /**
   * The table that stores the tokens; `schema.table` is also allowed. The name is not quoted, so PostgreSQL converts it
   * to lower case. Default: `fences`.
   */
  readonly table?: string
}

/** An SQL statement and its parameters, for any driver. */
export type SqlStatement = {
  readonly sql: string
  readonly params: readonly [resource: string, token: number]
}

/** Checks fencing tokens in an SQL database, in the same transaction as the write. */
export type SqlGuard = {
  /** The SQL statement that creates the table unless it exists. */
  readonly schema: string
  /**
   * Runs `work`, which must execute the `check` and its own writes in one transaction. If the token is stale, the check
   * fails, and the database rolls back the writes.
   *
   * @param resource - The name of the protected data: 1 to 512 characters, no zero byte.
   * @param token - The fencing token: an integer of at least 0.
   * @returns the result of `work`.
   * @throws `StaleTokenError` if the check failed. Its `highest` is undefined.
   * @throws any other error of `work`, unchanged.
   */
  readonly run: <T>(
    resource: string,
    token: number,
    work: (check: SqlStatement) => T | PromiseLike<T>,
  ) => Promise<T>
}

/**
 * A fencing guard for SQLite, Cloudflare D1 and PostgreSQL. It uses a table with the highest token of each resource,
 * and a statement that either stores a token or fails.
 *
 * The statement fails by violating a constraint, so it also protects a D1 `batch`. In a batch, no code can check the
 * result of the first statement before the second one runs.
 *
 * @throws `TypeError` if the dialect is unknown or the table is not a plain identifier.
 * @example
 * ```ts
 * const guard = sqlGuard({ dialect: 'sqlite' })
 * await guard.run('report:7', await lock.fencingToken(), ({ sql, params }) =>
 *   env.DB.batch([
 *     env.DB.prepare(sql).bind(...params),
 *     env.DB.prepare('UPDATE reports SET text = ? WHERE id = 7').bind(text),
 *   ]),
 * )
 * ```
 */
export const sqlGuard = (options: SqlGuardOptions): SqlGuard => {
  checkOptions('sqlGuard()', options, 'dialect, table')
  const { dialect, table = 'fences' } = options
  const isDialect = dialect === 'sqlite' || dialect === 'postgres'
  assertOption(isDialect, 'dialect', `'sqlite' or 'postgres'`, dialect)
  const isTable = typeof table === 'string' && /^([a-z_]\w{0,39}\.)?[a-z_]\w{0,39}$/i.test(table)
  assertOption(isTable, 'table', 'an identifier of at most 40 letters, digits and _', table)
  const isReserved = /^(.*\.)?excluded$/i.test(table)
  assertOption(!isReserved, 'table', 'a name other than that of the row in ON CONFLICT', table)
  const [resourceParameter, tokenParameter] = dialect === 'sqlite' ? ['?', '?'] : ['$1', '$2']
  const name = table.split('.').at(-1)!
  // Databases name the violated constraint in their error, so this name identifies a stale token.
  const constraint = `${name}_stale_token`
  const sql =
    `INSERT INTO ${table} (resource, token) VALUES (${resourceParameter}, ${tokenParameter}) ` +
    `ON CONFLICT (resource) DO UPDATE SET token = ` +
    `CASE WHEN excluded.token >= ${name}.token THEN excluded.token ELSE -1 END`
  // Match the whole name, because the name of another constraint can contain it. Ignore case: PostgreSQL converts names
  // to lower case, and SQLite preserves the case in which the table was created.
  const violated = new RegExp(`(^|\\W)${constraint}(\\W|$)`, 'i')
  const isStale = (error: unknown): boolean =>
    causesOf(error).some((cause) => {
      try {
        const { message, constraint: named } = cause as { message?: unknown; constraint?: unknown }
        return [message, named].some((text) => typeof text === 'string' && violated.test(text))
      } catch {
        return false
      }
    })
  return {
    schema:
      `CREATE TABLE IF NOT EXISTS ${table} (` +
      `resource TEXT NOT NULL PRIMARY KEY, token BIGINT NOT NULL, ` +
      `CONSTRAINT ${constraint} CHECK (token >= 0))`,
    run: async (resource, token, work) => {
      checkFence(resource, token)
      checkFunction('work', work)
      try {
        return await work({ sql, params: [resource, token] })
      } catch (error) {
        throw isStale(error) ? new StaleTokenError(resource, token) : error
      }
    },
  }
}
