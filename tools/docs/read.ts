import { readFile } from 'node:fs/promises'
import { Option } from 'commander'
import { runCommand } from '../cli/command.ts'
import { figuresOf, findingsOf, isNegative } from './english.ts'
import { texts } from './pages.ts'

// Reads the README and the pages in docs as an editor does, and prints each sentence that breaks a rule.

await runCommand<{ only?: string }>(
  {
    name: 'npm run docs -- read',
    description: 'Check the English of the README and of the pages in docs, and count their words',
    options: { only: new Option('--only <text>', 'only pages whose path contains this') },
  },
  async ({ only = '' }, { print }) => {
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
    const isMet = broken === 0
    return {
      isMet,
      json: { isMet, results },
      lines: [
        `English: ${broken} findings in ${files.length} files; ${words.toLocaleString('en')} words in docs; one negation in ${Math.round(prose / negations)} words.`,
      ],
    }
  },
)
