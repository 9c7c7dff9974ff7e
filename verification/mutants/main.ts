import Table from 'cli-table3'
import { Option } from 'commander'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption, flagOption } from '../../tools/cli/options.ts'
import { mutants } from './list.ts'
import { readSeeds, writePage } from './page.ts'
import { type Fate, seedsOf, tryMutant } from './run.ts'

type Options = { histories: number; only?: string; write?: true }

await runCommand<Options>(
  {
    name: 'npm run simulate:mutants --',
    description: 'Remove one safeguard at a time, and see that the simulation notices',
    options: {
      histories: countOption('--histories <count>', 'how many each may survive', 1e9, 100_000),
      only: new Option('--only <words>', 'mutants with these words in their names'),
      write: flagOption('--write', 'write the table into verification/reports/mutants.md'),
    },
  },
  async ({ histories, only, write }, { print }) => {
    const chosen = mutants.filter(({ name }) => name.includes(only ?? ''))
    if (chosen.length === 0) throw new Error(`No mutant has "${only}" in its name`)
    if (only && write) throw new Error('--write needs all mutants')
    // The table has the lowest seeds, which take long to find.
    const seeds = write ? undefined : await readSeeds()
    const fates: Fate[] = []
    for (const mutant of chosen) {
      const fate = await tryMutant(mutant, histories, seeds?.get(mutant.name))
      fates.push(fate)
      const { scenario, check, text = 'SURVIVES' } = fate
      print(`${mutant.name}: ${check ? `${check}, ${scenario}, seed ${seedsOf(fate)}` : text}`)
    }
    if (write) await writePage(fates)
    const killed = fates.filter(({ check }) => check !== undefined).length
    const isMet = killed === fates.length
    const table = new Table({ head: ['mutant', 'noticed by', 'scenario', 'seed'] })
    for (const fate of fates) {
      table.push([fate.mutant.name, fate.check ?? '', fate.scenario ?? '', seedsOf(fate)])
    }
    return {
      isMet,
      json: { isMet, killed, fates },
      lines: [table.toString(), `Mutants: ${killed} of ${fates.length} killed.`],
    }
  },
)
