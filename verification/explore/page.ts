import { readFile, writeFile } from 'node:fs/promises'

// The tables in verification/reports/explore.md.

const page = new URL('../reports/explore.md', import.meta.url)

/** Replaces a table, which stands between two comments with its name. */
export const writePage = async (name: 'worlds' | 'mutants', table: string): Promise<void> => {
  const [begin, end] = [`<!-- table: ${name} -->`, `<!-- end of ${name} -->`]
  const text = await readFile(page, 'utf8')
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined)
    throw new Error(
      `${page.pathname} does not contain the comments that enclose the table "${name}"`,
    )
  await writeFile(page, `${before}${begin}\n\n${table}\n\n${end}${after}`)
}
