import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// The search of a model has the same result each time. So the result is kept with the hash of its sources, and CI
// searches again only after a change to them.

const directory = fileURLToPath(new URL('.', import.meta.url))
const file = `${directory}searched.json`

/** A search that found what was expected. */
type Searched = {
  /** Of the model, its checks, and what runs and judges them. */
  readonly sources: string
  readonly figure: string
}

const hashOfSources = (): string => {
  const hash = createHash('sha256')
  for (const name of globSync('*.{pml,ts}', { cwd: directory }).sort()) {
    hash.update(`${name}\n${readFileSync(directory + name, 'utf8')}\n`)
  }
  return hash.digest('hex')
}

/** The figure of the search of these very sources; undefined if they have changed since. */
export const knownFigure = (): string | undefined => {
  const { sources, figure } = JSON.parse(readFileSync(file, 'utf8')) as Searched
  return sources === hashOfSources() ? figure : undefined
}

export const keepFigure = (figure: string): void => {
  const searched: Searched = { sources: hashOfSources(), figure }
  writeFileSync(file, `${JSON.stringify(searched, undefined, 2)}\n`)
}
