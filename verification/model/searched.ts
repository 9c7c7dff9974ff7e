import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isComment, tokensOf } from '../../tools/docs/scan.ts'

// The search of a model always has the same result. So the result is kept with a hash of the sources, and CI searches
// again only after a change to them. Comments and white space do not count.

const directory = fileURLToPath(new URL('.', import.meta.url))
const file = `${directory}searched.json`

/** A search with the expected result. */
type Searched = {
  /** The hash of the model, its checks, and the code that runs and judges them. */
  readonly sources: string
  readonly figure: string
}

/** The preprocessor of Promela needs the line breaks. */
const promelaOf = (source: string): string =>
  source
    .replaceAll(/"(?:\\.|[^"\\])*"|\/\*.*?\*\/|\/\/[^\n]*/gs, (text) =>
      text.startsWith('"') ? text : ' ',
    )
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?(?:\n ?)+/g, '\n')
    .trim()

const scriptOf = (source: string): string =>
  tokensOf(source)
    .filter((token) => !isComment(token))
    .map(({ text }) => text)
    .join(' ')

/** A source without comments, and with the same white space however it is formatted. */
export const codeOf = (name: string, source: string): string =>
  name.endsWith('.pml') ? promelaOf(source) : scriptOf(source)

const hashOfSources = (): string => {
  const hash = createHash('sha256')
  for (const name of globSync('*.{pml,ts}', { cwd: directory }).sort()) {
    hash.update(`${name}\n${codeOf(name, readFileSync(directory + name, 'utf8'))}\n`)
  }
  return hash.digest('hex')
}

/** The figure of the search of these sources; undefined if they have changed since. */
export const knownFigure = (): string | undefined => {
  const { sources, figure } = JSON.parse(readFileSync(file, 'utf8')) as Searched
  return sources === hashOfSources() ? figure : undefined
}

export const keepFigure = (figure: string): void => {
  const searched: Searched = { sources: hashOfSources(), figure }
  writeFileSync(file, `${JSON.stringify(searched, undefined, 2)}\n`)
}
