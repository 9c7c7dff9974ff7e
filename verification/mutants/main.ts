import { availableParallelism } from 'node:os'
import Table from 'cli-table3'
import { Option } from 'commander'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption, flagOption } from '../../tools/cli/options.ts'
import { openPool, type Result } from '../simulation/engine/pool.ts'
import type { Batch } from '../simulation/engine/batch.ts'
import { mutants } from './list.ts'
import { readKnown, writePage } from './page.ts'
import { type Fate, seedsOf, tryMutant } from './run.ts'

type Options = { histories: number; only?: string; write?: true }

await runCommand<Options>(
  {
    name: 'npm run verify -- mutants',
    description: 'Remove one safeguard at a time, and check that the simulation notices',
    options: {
      histories: countOption(
        '--histories <count>',
        'how many histories each mutant may survive',
        1e9,
        100_000,
      ),
      only: new Option('--only <words>', 'mutants with these words in their names'),
      write: flagOption('--write', 'write the table into verification/reports/mutants.md'),
    },
  },
  async ({ histories, only, write }, { print }) => {
    const chosen = mutants.filter(({ name }) => name.includes(only ?? ''))
    if (chosen.length === 0) throw new Error(`No mutant has "${only}" in its name`)
    if (only && write) throw new Error('--write needs all mutants: leave out --only')
    // The table contains the lowest seeds, which take a long time to find.
    const killers = write ? undefined : await readKnown()
    const fates: Fate[] = []
    const usual = openPool()
    const results = new Map<string, Promise<Result>>()
    // Many mutants are compared with the same histories of the original sources.
    const runUsual = (batch: Batch): Promise<Result> => {
      const key = JSON.stringify(batch)
      const result = results.get(key) ?? usual.run(batch)
      results.set(key, result)
      return result
    }
    // One history runs in one thread, so each core takes the next mutant after it has killed one.
    const remaining = chosen.entries()
    const tryRemaining = async (): Promise<void> => {
      for (const [index, mutant] of remaining) {
        const fate = await tryMutant(mutant, histories, killers?.get(mutant.name), runUsual)
        fates[index] = fate
        const { scenario, check, text = 'SURVIVES' } = fate
        print(`${mutant.name}: ${check ? `${check}, ${scenario}, seed ${seedsOf(fate)}` : text}`)
      }
    }
    try {
      await Promise.all(Array.from({ length: availableParallelism() }, tryRemaining))
    } finally {
      await usual.close()
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
