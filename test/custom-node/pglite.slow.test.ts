import { existsSync } from 'node:fs'
import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { expect, it } from 'vitest'
import { postgresNode, type Query } from '../../examples/postgres/node.ts'
import type { LockNode } from '../../src/entries/custom-node.ts'
import { testNode } from '../../src/entries/testing.ts'

const schema = await readFile(
  resolve(import.meta.dirname, '../../examples/postgres/schema.sql'),
  'utf8',
)

/** The node of the example over PGlite, which is PostgreSQL in WebAssembly, with one connection. */
const overPglite = async (name: string, folder: string): Promise<Opened> => {
  const isNew = !existsSync(join(folder, 'PG_VERSION'))
  const database = new PGlite(folder)
  if (isNew) await database.exec(schema)
  const node = postgresNode(name, (run) =>
    database.transaction((transaction) => {
      const query: Query = async (text, values) =>
        (await transaction.query<object>(text, values)).rows
      return run(query)
    }),
  )
  return { node, close: () => database.close() }
}
type Opened = { readonly node: LockNode; readonly close: () => Promise<void> }

it('the node over PostgreSQL passes, also when its files are opened again', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'edge-redlock-pglite-'))
  let opened = await overPglite('first', folder.path)
  const restart = async (): Promise<LockNode> => {
    await opened.close()
    opened = await overPglite('second', folder.path)
    return opened.node
  }
  const { passed } = await testNode(opened.node, { restart, sequences: 5 })
  expect(passed).toContain('restart')
  await opened.close()
}, 120_000)
