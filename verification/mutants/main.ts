import { readFile, writeFile } from 'node:fs/promises'
import Table from 'cli-table3'
import { Command } from 'commander'
import { reportFailure } from '../../tools/cli/report-failure.ts'
import { wholeNumber } from '../../tools/cli/whole-number.ts'
import { mutants } from './list.ts'
import { type Fate, tryMutant } from './run.ts'

type Options = { histories: number; only?: string; json?: true; write?: true }

const { histories, only, json, write } = new Command('npm run simulate:mutants --')
  .description('Remove one safeguard at a time, and see that the simulation notices')
  .option('--histories <count>', 'how many each may survive', wholeNumber(1e9), 100_000)
  .option('--only <words>', 'mutants with these words in their names')
  .option('--write', 'write the table into docs/mutants.md')
  .option('--json', 'print the result as JSON')
  .parse()
  .opts<Options>()

const page = new URL('../../docs/mutants.md', import.meta.url)
const [begin, end] = [
  '<!-- table: npm run simulate:mutants -- --write -->',
  '<!-- end of table -->',
]

const writePage = async (fates: readonly Fate[]): Promise<void> => {
  const rows = fates.map(
    ({ mutant, seed, check }) =>
      `| ${mutant.name} | \`${mutant.file}\` | ${check ?? 'SURVIVES'} | ${seed ?? ''} |`,
  )
  const table = ['| without it | where | noticed by | seed |', '|---|---|---|---|', ...rows].join(
    '\n',
  )
  const text = await readFile(page, 'utf8')
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`${page.pathname} lacks the marks of its table`)
  await writeFile(page, `${before}${begin}\n\n${table}\n\n${end}${after}`)
}

try {
  const chosen = mutants.filter(({ name }) => name.includes(only ?? ''))
  if (chosen.length === 0) throw new Error(`No mutant has "${only}" in its name`)
  if (only && write) throw new Error('--write wants all mutants')
  const fates: Fate[] = []
  for (const mutant of chosen) {
    const fate = await tryMutant(mutant, histories)
    fates.push(fate)
    if (!json) {
      const { seed, check } = fate
      console.log(`${mutant.name}: ${seed ? `${check}, seed ${seed}` : 'SURVIVES'}`)
    }
  }
  const killed = fates.filter(({ seed }) => seed !== undefined)
  const isMet = killed.length === fates.length
  if (!isMet) process.exitCode = 1
  if (write) await writePage(fates)
  if (json) console.log(JSON.stringify({ isMet, killed: killed.length, fates }))
  else {
    const table = new Table({ head: ['mutant', 'noticed by', 'seed'] })
    table.push(...fates.map(({ mutant, check, seed }) => [mutant.name, check ?? '', seed ?? '']))
    console.log(table.toString())
    console.log(`Mutants: ${killed.length} of ${fates.length} killed.`)
  }
} catch (error) {
  reportFailure(error)
}
