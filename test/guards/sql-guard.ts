import fc from 'fast-check'
import type { SqlStatement } from '../../src/guards/sql-guard.ts'
import { describe, expect, it } from 'vitest'
import { isStaleTokenError, sqlGuard, type SqlGuard } from '../../src/entries/guards.ts'

/** A database, as the suite needs it. */
export type Database = {
  readonly dialect: 'sqlite' | 'postgres'
  readonly execute: (sql: string) => Promise<unknown>
  /** Executes the check and a write in one transaction. */
  readonly write: (check: SqlStatement, sql: string) => Promise<unknown>
  readonly rows: (sql: string) => Promise<unknown[]>
}

/** The tests that the guard must pass with every database. */
export const sqlGuardSuite = (name: string, open: () => Promise<Database>): void => {
  let tables = 0
  const fresh = async (): Promise<{ database: Database; guard: SqlGuard; notes: string }> => {
    const database = await open()
    const [table, notes] = [`fences_${++tables}`, `notes_${tables}`]
    const guard = sqlGuard({ dialect: database.dialect, table })
    await database.execute(guard.schema)
    // The statement can be repeated when the table exists.
    await database.execute(guard.schema)
    await database.execute(`CREATE TABLE ${notes} (text TEXT NOT NULL)`)
    return { database, guard, notes }
  }
  const outcome = async (work: Promise<unknown>): Promise<'done' | 'stale'> =>
    work.then(
      () => 'done' as const,
      (error: unknown) => {
        if (isStaleTokenError(error)) return 'stale' as const
        throw error
      },
    )

  describe(`sqlGuard on ${name}`, () => {
    it('lets the newest holder write repeatedly, and rolls back the write of a stale one', async () => {
      const { database, guard, notes } = await fresh()
      const write = (token: number, text: string): Promise<unknown> =>
        guard.run('report', token, (check) =>
          database.write(check, `INSERT INTO ${notes} VALUES ('${text}')`),
        )
      await write(7, 'one')
      await write(7, 'one again')
      await write(9, 'two')
      const error = await write(8, 'stale').catch((reason: unknown) => reason)
      expect(isStaleTokenError(error)).toBe(true)
      expect(error).toMatchObject({ resource: 'report', token: 8 })
      expect(await database.rows(`SELECT text FROM ${notes}`)).toEqual([
        { text: 'one' },
        { text: 'one again' },
        { text: 'two' },
      ])
      await write(9, 'two again')
      expect(await database.rows(`SELECT text FROM ${notes}`)).toHaveLength(4)
    })

    it('keeps resources with any names apart', async () => {
      const { database, guard } = await fresh()
      const names = ['a', 'A', `'; DROP TABLE x; --`, '"', 'ünï¢🚀', ' ', 'x'.repeat(512), '%']
      const check = (resource: string, token: number): Promise<'done' | 'stale'> =>
        outcome(guard.run(resource, token, (one) => database.write(one, 'SELECT 1')))
      for (const [index, resource] of names.entries()) {
        expect(await check(resource, 100 - index)).toBe('done')
      }
      for (const [index, resource] of names.entries()) {
        expect(await check(resource, 99 - index)).toBe('stale')
        expect(await check(resource, 100 - index)).toBe('done')
      }
    })

    it('is exact up to the largest safe integer', async () => {
      const { database, guard } = await fresh()
      const check = (token: number): Promise<'done' | 'stale'> =>
        outcome(guard.run('k', token, (one) => database.write(one, 'SELECT 1')))
      const max = Number.MAX_SAFE_INTEGER
      expect(await check(0)).toBe('done')
      expect(await check(max - 1)).toBe('done')
      expect(await check(max - 2)).toBe('stale')
      expect(await check(max)).toBe('done')
      expect(await check(max - 1)).toBe('stale')
    })

    it('accepts exactly the tokens that are not below the highest so far', async () => {
      const { database, guard } = await fresh()
      let run = 0
      const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.nat(5)), { maxLength: 12 })
      await fc.assert(
        fc.asyncProperty(steps, async (sequence) => {
          run++
          const highest = new Map<string, number>()
          for (const [name, token] of sequence) {
            const expected = token >= (highest.get(name) ?? 0) ? 'done' : 'stale'
            if (expected === 'done') highest.set(name, token)
            const work = guard.run(`${run}${name}`, token, (one) => database.write(one, 'SELECT 1'))
            expect(await outcome(work)).toBe(expected)
          }
        }),
        { numRuns: 40 },
      )
    })

    it('rethrows other errors unchanged', async () => {
      const { database, guard, notes } = await fresh()
      const failing = guard.run('k', 1, (check) =>
        database.write(check, `INSERT INTO ${notes} VALUES (NULL)`),
      )
      const error = await failing.catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(Error)
      expect(isStaleTokenError(error)).toBe(false)
      // The transaction that failed has not stored its token.
      const lower = guard.run('k', 0, (check) => database.write(check, 'SELECT 1'))
      expect(await outcome(lower)).toBe('done')
      const own = new Error('mine')
      await expect(guard.run('k', 1, () => Promise.reject(own))).rejects.toBe(own)
    })

    it.each([
      ['fences_in_lower_case', 'fences_in_lower_case'],
      ['Fences_In_Mixed_Case', 'Fences_In_Mixed_Case'],
      ['FENCES_UPPER', 'FENCES_UPPER'],
      // The table was created by a deployment that wrote its name otherwise.
      ['fences_renamed', 'Fences_Renamed'],
      ['Fences_Other', 'fences_other'],
      ['t'.repeat(39) + 'T', 'T'.repeat(40)],
    ])('recognizes a stale token in the table %s that it calls %s', async (created, table) => {
      const database = await open()
      await database.execute(sqlGuard({ dialect: database.dialect, table: created }).schema)
      const guard = sqlGuard({ dialect: database.dialect, table })
      const check = (token: number): Promise<'done' | 'stale'> =>
        outcome(guard.run('k', token, (one) => database.write(one, 'SELECT 1')))
      expect(await check(7)).toBe('done')
      expect(await check(6)).toBe('stale')
    })

    it('does not take the stale token of another table for its own', async () => {
      const database = await open()
      const [mine, other] = ['marks', 'bookmarks'].map((table) =>
        sqlGuard({ dialect: database.dialect, table }),
      )
      for (const { schema } of [mine!, other!]) await database.execute(schema)
      await other!.run('k', 9, (one) => database.write(one, 'SELECT 1'))
      let check!: SqlStatement
      await other!.run('k', 8, (one) => void (check = one))
      const work = mine!.run('k', 8, () => database.write(check, 'SELECT 1'))
      const error = await work.catch((reason: unknown) => reason)
      expect(isStaleTokenError(error)).toBe(false)
      expect(String(error)).toContain('bookmarks_stale_token')
    })

    it('returns what the work returns', async () => {
      const { guard } = await fresh()
      expect(await guard.run('k', 1, () => 'result')).toBe('result')
    })
  })
}
