import { readFile } from 'node:fs/promises'
import type { Asset } from '../servers/assets/read-assets.ts'

// The source of an example as a page, with the call highlighted that protects it.

/** A page of the example, the file with its route, and how the line begins that protects it. */
type Shown = { readonly page: string; readonly file: string; readonly call: string }

export const shownSources: readonly Shown[] = [
  { page: '/', file: 'hand-in.ts', call: 'idempotent(' },
  { page: '/submit', file: 'submit.ts', call: 'throttle(' },
  { page: '/report', file: 'report.ts', call: 'return c.json(await once(' },
]

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** The lines of a call, from its own to the one that closes its parentheses, counted from 0. */
const linesOf = (
  lines: readonly string[],
  call: string,
): readonly [first: number, last: number] => {
  const first = lines.findIndex((line) => line.trimStart().startsWith(call))
  if (first < 0) throw new Error(`No line begins with ${call}`)
  let depth = 0
  const closing = lines.slice(first).findIndex((line) => {
    depth += line.split('(').length - line.split(')').length
    return depth === 0
  })
  return [first, first + closing]
}

const style = `
pre { padding: 0.75rem 0 }
pre span { display: block; padding: 0 0.9rem; min-height: 1.5em }
pre span::before { display: inline-block; width: 2ch; margin-right: 1rem; color: var(--muted); content: attr(data-line); text-align: right }
pre mark { display: block; color: inherit; background: light-dark(#fff3c4, #4a3f12); box-shadow: inset 0.3rem 0 var(--rejected) }`

/** The path of a source as a page, the number of the line that protects it, and the page. */
export type SourcePage = { readonly path: string; readonly line: number; readonly asset: Asset }

/** Makes the page of a source in `folder`. */
export const sourcePage = async (
  folder: string,
  { page, file, call }: Shown,
): Promise<SourcePage> => {
  const lines = (await readFile(`${folder}/${file}`, 'utf8')).trimEnd().split('\n')
  const [first, last] = linesOf(lines, call)
  const rows = lines.map((line, index) => {
    const id = index === first ? ` id="L${first + 1}"` : ''
    return `<span${id} data-line="${index + 1}">${escape(line)}</span>`
  })
  rows[first] = `<mark>${rows[first]}`
  rows[last] += '</mark>'
  const body = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>edge-redlock: ${file}</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/page.css" />
    <style>${style}</style>
  </head>
  <body>
    <header><strong>edge-redlock</strong><nav aria-label="Back"><a href="${page}">Back</a></nav></header>
    <main>
      <section aria-labelledby="file">
        <h1 id="file">examples/submit/${file}</h1>
        <pre tabindex="0" aria-labelledby="file"><code>${rows.join('')}</code></pre>
      </section>
    </main>
  </body>
</html>
`
  return {
    path: `/code/${file}`,
    line: first + 1,
    asset: { type: 'text/html; charset=utf-8', body },
  }
}
