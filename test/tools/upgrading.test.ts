import { readFile } from 'node:fs/promises'
import { execa } from 'execa'
import { expect, it } from 'vitest'

// Each codemod of docs/upgrading.md turns the code of its row from before into the code of now.

const page = await readFile('docs/upgrading.md', 'utf8')
const rows = [...page.matchAll(/^\| `(.+?)` \| `(.+?)` \| `rename '(.+)'` \|$/gm)].map(
  ([, before, now, change]) => ({ before: before!, now: now!, change: change! }),
)
const all = rows.map(({ change }) => change).join(';')

const perl = async (change: string, code: string): Promise<string> =>
  (await execa('perl', ['-p', '-e', change], { input: code })).stdout

it('has a codemod for most renames', () => {
  expect(rows.length).toBeGreaterThan(10)
})

it.each(rows)('changes $before', async ({ before, now, change }) => {
  expect(await perl(change, before)).toBe(now)
  expect(await perl(change, now)).toBe(now)
  // All of them together do the same.
  expect(await perl(all, before)).toBe(now)
})

it('leaves other names alone', async () => {
  const code = "c.var.fence; import 'edge-redlock/testing'; import 'edge-redlock/hono'"
  expect(await perl(all, code)).toBe(code)
})
