import type { Fate } from './mutants.ts'
import type { Search } from './search.ts'
import { worlds } from './worlds.ts'

/** A number with separators. */
export const grouped = (value: number): string => value.toLocaleString('en')

const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** The searches as a Markdown table. */
export const searchTable = (searches: readonly Search[]): string =>
  tableOf(
    ['world', 'what happens', 'states', 'steps', 'ends', 'longest', 'seconds', 'result'],
    searches.map(({ world, states, steps, ends, depth, seconds, isComplete, violation }) => [
      world,
      worlds.find(({ name }) => name === world)!.description,
      grouped(states),
      grouped(steps),
      grouped(ends),
      String(depth),
      seconds.toFixed(0),
      violation ? `**${violation.check}**` : isComplete ? 'all states hold' : 'holds',
    ]),
  )

/** The mutants that the search found, as a Markdown table. */
export const fateTable = (fates: readonly Fate[]): string =>
  tableOf(
    ['without it', 'broken promise', 'world', 'states'],
    fates.flatMap(({ mutant, check, world = '', states }) =>
      check === undefined ? [] : [[mutant, check, world, grouped(states)]],
    ),
  )
