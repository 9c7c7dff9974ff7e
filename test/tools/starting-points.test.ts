import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

// The tables that say which files to touch for a change name files that exist.

const root = resolve(import.meta.dirname, '../..')
const pages = ['src/README.md', 'verification/README.md', 'bench/README.md']

/** The rows of the table of a page: the task, and the files that it names. */
const rowsOf = (page: string): [task: string, files: string[]][] => {
  const [, section = ''] = readFileSync(join(root, page), 'utf8').split('\n## Starting points\n')
  return Array.from(
    section.matchAll(/^\| ([^|]+) \| (.*) \|$/gm),
    ([, task = '', files = '']) =>
      [
        task,
        [...files.matchAll(/`([^\s`]*\/[^\s`]*|[\w.-]+\.(?:ts|lua|md|json))`/g)].map(
          ([, file]) => file!,
        ),
      ] satisfies [string, string[]],
  ).slice(1)
}

/** A file of the repository, a folder, which ends in a slash, or several files with a star. */
const exists = (file: string): boolean =>
  file.includes('*') ? globSync(file, { cwd: root }).length > 0 : existsSync(join(root, file))

// Names that stand for a file in a new folder, and an entry of the package.
const examples = new Set(['main.ts', 'index.ts', 'edge-redlock/hono'])

describe.each(pages)('the starting points of %s', (page) => {
  it.each(rowsOf(page))('%s: its files exist', (_, files) => {
    const missing = files.filter((file) => !examples.has(file) && !exists(file))
    expect(missing).toEqual([])
  })
})

it('every row names files', () => {
  const rows = pages.flatMap(rowsOf)
  expect(rows.length).toBeGreaterThan(30)
  expect(rows.filter(([, files]) => files.length === 0).map(([task]) => task)).toEqual([])
})
