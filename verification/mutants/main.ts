import { readFile, writeFile } from 'node:fs/promises'
import Table from 'cli-table3'
import { Option } from 'commander'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption, flagOption } from '../../tools/cli/options.ts'
import { mutants } from './list.ts'
import { type Fate, tryMutant } from './run.ts'

type Options = { histories: number; only?: string; write?: true }

const page = new URL('../../docs/mutants.md', import.meta.url)
const [begin, end] = [
  '<!-- table: npm run simulate:mutants -- --write -->',
  '<!-- end of table -->',
]

/** Replaces the table in docs/mutants.md. */
const writePage = async (fates: readonly Fate[]): Promise<void> => {
  const rows = fates.map(
    ({ mutant, seed, scenario, check }) =>
      `| ${mutant.name} | \`${mutant.file}\` | ${check ?? 'SURVIVES'} | ${scenario ?? ''} | ${seed ?? ''} |`,
  )
  const table = [
    '| without it | where | noticed by | scenario | seed |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n')
  const text = await readFile(page, 'utf8')
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`${page.pathname} lacks the marks of its table`)
  await writeFile(page, `${before}${begin}\n\n${table}\n\n${end}${after}`)
}

await runCommand<Options>(
  {
    name: 'npm run simulate:mutants --',
    description: 'Remove one safeguard at a time, and see that the simulation notices',
    options: {
      histories: countOption('--histories <count>', 'how many each may survive', 1e9, 100_000),
      only: new Option('--only <words>', 'mutants with these words in their names'),
      write: flagOption('--write', 'write the table into docs/mutants.md'),
    },
  },
  async ({ histories, only, write }, { print }) => {
    const chosen = mutants.filter(({ name }) => name.includes(only ?? ''))
    if (chosen.length === 0) throw new Error(`No mutant has "${only}" in its name`)
    if (only && write) throw new Error('--write needs all mutants')
    const fates: Fate[] = []
    for (const mutant of chosen) {
      const fate = await tryMutant(mutant, histories)
      fates.push(fate)
      const { seed, scenario, check } = fate
      print(`${mutant.name}: ${seed ? `${check}, ${scenario}, seed ${seed}` : 'SURVIVES'}`)
    }
    if (write) await writePage(fates)
    const killed = fates.filter(({ seed }) => seed !== undefined).length
    const isMet = killed === fates.length
    const table = new Table({ head: ['mutant', 'noticed by', 'scenario', 'seed'] })
    for (const { mutant, check, scenario, seed } of fates) {
      table.push([mutant.name, check ?? '', scenario ?? '', seed ?? ''])
    }
    return {
      isMet,
      json: { isMet, killed, fates },
      lines: [table.toString(), `Mutants: ${killed} of ${fates.length} killed.`],
    }
  },
)
