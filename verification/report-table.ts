import { readFile, writeFile } from 'node:fs/promises'

// Tables in verification/reports that commands write. Each stands between two comments, the first of which names it.

const end = '<!-- end of table -->'

const split = async (
  page: URL,
  name: string,
): Promise<readonly [before: string, table: string, after: string]> => {
  const begin = `<!-- table: ${name} -->`
  const text = await readFile(page, 'utf8')
  const from = text.indexOf(begin) + begin.length
  const to = text.indexOf(end, from)
  if (!text.includes(begin) || to < 0)
    throw new Error(
      `${page.pathname} does not contain the comments that enclose the table "${name}"`,
    )
  return [text.slice(0, from), text.slice(from, to), text.slice(to)]
}

/** Reads a table of a report. @throws if the report does not have it. */
export const readTable = async (page: URL, name: string): Promise<string> =>
  (await split(page, name))[1].trim()

/** Replaces a table of a report. @throws if the report does not have it. */
export const writeTable = async (page: URL, name: string, table: string): Promise<void> => {
  const [before, , after] = await split(page, name)
  await writeFile(page, `${before}\n\n${table}\n\n${after}`)
}
