import { Option } from 'commander'
import { type CommandContext, type Outcome, runCommand } from '../../tools/cli/command.ts'
import { countOption, flagOption, freshSeed, maxSeed } from '../../tools/cli/options.ts'
import { wholeNumber } from '../../tools/cli/whole-number.ts'
import { mutants } from '../mutants/list.ts'
import { writeTable } from '../report-table.ts'
import { type Fate, isInWorlds, tryMutants } from './mutants.ts'
import type { Search } from './search.ts'
import { fateTable, grouped, searchTable } from './tables.ts'
import { openThreads } from './threads.ts'
import { worlds } from './worlds.ts'

const page = new URL('../reports/explore.md', import.meta.url)

type Options = {
  states: number
  seed: number
  world?: string
  long?: true
  mutants?: true
  only?: string
  write?: true
}

const replayOf = ({ world, violation }: Search): string =>
  `${world} breaks the promise "${violation!.check}": ${violation!.text}\n  ${violation!.path.join('\n  ')}`

const chosenWorlds = (name: string | undefined): readonly string[] => {
  const names = worlds.map((world) => world.name)
  const chosen = names.filter((one) => one === (name ?? one))
  if (chosen.length === 0) throw new Error(`No world is called "${name}": ${names.join(', ')}`)
  return chosen
}

const searchWorlds = async ({ states, seed, world, long }: Options): Promise<Search[]> => {
  const names = chosenWorlds(world)
  const threads = openThreads()
  try {
    return await Promise.all(
      names.map((name) => threads.search({ world: name, states, seed, isLong: long === true })),
    )
  } finally {
    await threads.close()
  }
}

const summaryOf = (searches: readonly Search[], seed: number): string => {
  const sum = searches.reduce((states, search) => states + search.states, 0)
  const broken = searches.filter(({ violation }) => violation).length
  const complete = searches.filter(({ isComplete }) => isComplete).length
  return `Search: ${grouped(sum)} states of ${searches.length} worlds, ${complete} of them complete; ${broken} violated (seed ${seed}).`
}

const tryAll = async (options: Options, print: CommandContext['print']): Promise<Fate[]> => {
  const { only = '', states, seed, world } = options
  const chosen = mutants.filter((mutant) => isInWorlds(mutant) && mutant.name.includes(only))
  if (chosen.length === 0) throw new Error(`No mutant has "${only}" in its name`)
  return tryMutants(chosen, { worlds: chosenWorlds(world), states, seed }, (fate) =>
    print(`${fate.mutant}: ${fate.check ? `${fate.check}, ${fate.world}` : 'not found'}`),
  )
}

await runCommand<Options>(
  {
    name: 'npm run verify -- explore',
    description: 'Search the states of the real client and nodes, over all orders of events',
    options: {
      states: countOption('--states <count>', 'the most states of a world', 1e9, 25_000),
      seed: new Option('--seed <number>', 'the order of the search; or: fresh')
        .argParser((text) => (text === 'fresh' ? freshSeed() : wholeNumber(maxSeed)(text)))
        .default(1),
      world: new Option(
        '--world <name>',
        `only this world: ${worlds.map(({ name }) => name).join(', ')}`,
      ),
      long: flagOption('--long', 'search within wider bounds, as every night'),
      mutants: flagOption('--mutants', 'search each mutant for a broken promise instead'),
      only: new Option('--only <words>', 'mutants with these words in their names'),
      write: flagOption('--write', 'write the tables into verification/reports/explore.md'),
    },
  },
  async (options, { print }): Promise<Outcome> => {
    const { seed, write } = options
    if (options.mutants) {
      const fates = await tryAll(options, print)
      const found = fates.filter(({ check }) => check !== undefined).length
      if (write) await writeTable(page, 'mutants', fateTable(fates))
      return {
        isMet: found > 0,
        json: { found, fates },
        lines: [`Search: ${found} of ${fates.length} mutants found.`],
      }
    }
    const searches = await searchWorlds(options)
    const broken = searches.filter(({ violation }) => violation)
    if (write) await writeTable(page, 'worlds', searchTable(searches))
    return {
      isMet: broken.length === 0,
      json: { seed, searches },
      lines: [searchTable(searches), ...broken.map(replayOf), summaryOf(searches, seed)],
    }
  },
)
