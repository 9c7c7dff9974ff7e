import { readTable, writeTable } from '../report-table.ts'
import { type Fate, type Known, seedsOf } from './run.ts'

// The table in verification/reports/mutants.md.

const page = new URL('../reports/mutants.md', import.meta.url)
const tableName = 'npm run verify -- mutants --write'

/** The check that kills each mutant, by its name, according to the table. */
export const readKnown = async (): Promise<ReadonlyMap<string, Known>> => {
  const table = await readTable(page, tableName)
  const rows = table.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  const known = new Map<string, Known>()
  for (const [, name, , , , seeds] of rows) {
    const all = /^(\d+) to (\d+)$/.exec(seeds ?? '')
    if (all) known.set(name!, { histories: Number(all[2]) - Number(all[1]) + 1 })
    else if (Number(seeds) > 0) known.set(name!, { seed: Number(seeds) })
  }
  return known
}

/** Replaces the table. */
export const writePage = async (fates: readonly Fate[]): Promise<void> => {
  const rows = fates.map(
    (fate) =>
      `| ${fate.mutant.name} | \`${fate.mutant.file}\` | ${fate.check ?? 'SURVIVES'} | ${fate.scenario ?? ''} | ${seedsOf(fate)} |`,
  )
  const table = [
    '| without it | where | noticed by | scenario | seed |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n')
  await writeTable(page, tableName, table)
}
