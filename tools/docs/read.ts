import { readFile } from 'node:fs/promises'
import { Option } from 'commander'
import { runCommand } from '../cli/command.ts'
import { passagesOf } from './code.ts'
import { figuresOf, findingsOf, isNegative } from './english.ts'
import { texts } from './pages.ts'
import { sources } from './sources.ts'

// Checks the English of the README, the pages in docs and the sources, and prints each sentence that breaks a rule.

type Print = (line: string) => void

const readPages = async (only: string, print: Print) => {
  const files = (await texts()).filter((file) => file.includes(only))
  let [words, prose, negations, broken] = [0, 0, 0, 0]
  const results = []
  for (const file of files) {
    const text = await readFile(file, 'utf8')
    const figures = figuresOf(text)
    const findings = findingsOf(text)
    const isTooNegative = isNegative(text)
    broken += findings.length + Number(isTooNegative)
    if (file.startsWith('docs/')) words += figures.words
    prose += figures.prose
    negations += figures.negations
    results.push({ file, ...figures, findings })
    print(
      `${file}: ${figures.words} words, ${figures.negations} negations${isTooNegative ? ': too many' : ''}`,
    )
    for (const { rule, text: sentence } of findings) print(`  ${rule}: ${sentence}`)
  }
  const line = `English: ${broken} findings in ${files.length} pages; ${words.toLocaleString('en')} words in docs; one negation in ${Math.round(prose / negations)} words.`
  return { broken, results, lines: files.length > 0 ? [line] : [] }
}

const readSources = async (only: string, print: Print) => {
  const files = (await sources()).filter((file) => file.includes(only))
  let broken = 0
  const results = []
  for (const file of files) {
    const found = passagesOf(file, await readFile(file, 'utf8')).flatMap(({ line, text }) =>
      findingsOf(text).map(({ rule, text: sentence }) => ({ line, rule, text: sentence })),
    )
    if (found.length > 0) results.push({ file, findings: found })
    broken += found.length
    for (const { line, rule, text } of found) print(`${file}:${line}: ${rule}: ${text}`)
  }
  const line = `English of the code: ${broken} findings in ${files.length} sources.`
  return { broken, results, lines: files.length > 0 ? [line] : [] }
}

await runCommand<{ only?: string }>(
  {
    name: 'npm run docs -- read',
    description:
      'Check the English of the README, the pages in docs, and the comments and messages in code',
    options: {
      only: new Option('--only <text>', 'only pages and sources whose path contains this'),
    },
  },
  async ({ only = '' }, { print }) => {
    const pages = await readPages(only, print)
    const code = await readSources(only, print)
    const isMet = pages.broken + code.broken === 0
    return {
      isMet,
      json: { isMet, results: pages.results, sources: code.results },
      lines: [...pages.lines, ...code.lines],
    }
  },
)
