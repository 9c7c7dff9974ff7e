import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { reports } from './outside-links.ts'

// Copies the reports of what was measured into docs/reports, so that the evidence is part of the site.

const root = fileURLToPath(new URL('../..', import.meta.url))
const out = `${root}docs/reports`

// Tables of many columns, which need the room of an outline.
const frontmatter = '---\naside: false\npageClass: wide\n---\n\n'

await rm(out, { recursive: true, force: true })
await mkdir(out)
for (const name of reports) {
  const report = await readFile(`${root}verification/reports/${name}.md`, 'utf8')
  const page = report.replaceAll('](../../docs/', '](../')
  await writeFile(`${out}/${name}.md`, frontmatter + page)
}
