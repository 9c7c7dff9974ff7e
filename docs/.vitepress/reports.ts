import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { makeCharts } from './charts.ts'
import { reports } from './outside-links.ts'

// Copies the reports of what was measured into docs/reports, so that the evidence is part of the site, and draws their
// pictures into docs/public/charts.

const root = fileURLToPath(new URL('../..', import.meta.url))
const [out, charts] = [`${root}docs/reports`, `${root}docs/public/charts`]

/** For tables of many columns, which need the room of an outline. */
const frontmatter = (name: string): string =>
  `---\naside: false\npageClass: wide report ${name}\n---\n\n`

/** The pictures before the first table of a section. */
const pictures: Partial<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  comparison: { '# ': ['behaviors'] },
  'idempotency-comparison': { '## Requests': ['requests'] },
  benchmarks: { '## Bursts': ['winners', 'time-to-winner'], '## One sick node': ['sick-node'] },
  chaos: { '# ': ['faults'] },
}

/** The page with its pictures. */
const withPictures = (name: string, page: string): string =>
  Object.entries(pictures[name] ?? {}).reduce((text, [section, names]) => {
    const table = /^(?:\||- )/m.exec(text.slice(text.indexOf(section)))!
    const at = text.indexOf(section) + table.index
    const tags = names.map((chart) => `<Chart name="${chart}" />\n\n`).join('')
    return text.slice(0, at) + tags + text.slice(at)
  }, page)

await rm(out, { recursive: true, force: true })
await rm(charts, { recursive: true, force: true })
await Promise.all([mkdir(out), mkdir(charts)])
for (const name of reports) {
  const report = await readFile(`${root}verification/reports/${name}.md`, 'utf8')
  const page = withPictures(name, report.replaceAll('](../../docs/', '](../'))
  await writeFile(`${out}/${name}.md`, frontmatter(name) + page)
}
for (const [name, { svg }] of Object.entries(await makeCharts())) {
  for (const [width, text] of Object.entries(svg))
    await writeFile(`${charts}/${name}-${width}.svg`, text)
}
