import { globSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { runCommand } from '../cli/command.ts'
import { flagOption } from '../cli/options.ts'
import { figuresOf } from '../docs/english.ts'
import { texts } from '../docs/pages.ts'
import { tokensOfText } from '../docs/tokens.ts'
import { walk } from './walk.ts'

// `npm run reports`: prints figures that show where the project grows, next to their values at the last release. None of
// them is a limit.

const lastFile = new URL('last.json', import.meta.url)

/** A figure and its description. */
type Figure = readonly [what: string, value: number]

const sources = (): Figure[] => {
  const files = globSync('src/**/*.ts')
  const lines = files.map((file) => readFileSync(file, 'utf8').split('\n').length - 1)
  const total = lines.reduce((sum, count) => sum + count, 0)
  return [
    ['files in src', files.length],
    ['files at the root of src', globSync('src/*.ts').length],
    ['lines in src', total],
    ['lines of a file, on average', Math.round(total / files.length)],
    ['lines of the longest file', Math.max(...lines)],
  ]
}

const pages = async (): Promise<Figure[]> => {
  const files = (await texts()).filter((file) => file.startsWith('docs/'))
  const contents = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  const words = contents.reduce((sum, text) => sum + figuresOf(text).words, 0)
  const tokens = await tokensOfText()
  const built: Figure[] = tokens > 0 ? [['tokens of llms-full.txt', tokens]] : []
  return [['pages in docs', files.length], ['words in docs', words], ...built]
}

const readLast = async (): Promise<Readonly<Record<string, number>>> =>
  JSON.parse(await readFile(lastFile, 'utf8')) as Record<string, number>

await runCommand<{ write?: true }>(
  {
    name: 'npm run reports --',
    description: 'Print figures that show where the project grows, next to their last values',
    options: { write: flagOption('--write', 'save these values as the last ones') },
  },
  async ({ write }) => {
    const last = await readLast()
    const figures = [...(await walk()), ...sources(), ...(await pages())]
    const now = Object.fromEntries(figures)
    if (write) await writeFile(lastFile, `${JSON.stringify({ ...last, ...now }, null, 2)}\n`)
    const numbers = new Intl.NumberFormat('en')
    const lineOf = ([what, value]: Figure): string =>
      `${what}: ${numbers.format(value)}, last ${what in last ? numbers.format(last[what]!) : 'unknown'}`
    return { isMet: true, json: { now, last }, lines: figures.map(lineOf) }
  },
)
