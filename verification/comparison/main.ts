import { mkdir, writeFile } from 'node:fs/promises'
import { Command } from 'commander'
import { reportFailure } from '../../tools/cli/report-failure.ts'
import { behaviours } from './behaviours/all.ts'
import type { Behaviour } from './observation.ts'
import { observeAll } from './processes.ts'
import { figure, markdown, terminalTable } from './table.ts'

type Options = { json?: true; only?: string; write?: true }

const page = new URL('../../docs/comparison.md', import.meta.url)

const { json, only, write } = new Command('node verification/comparison/main.ts')
  .description('Run the published rivals beside this project through the same faults')
  .option('--json', 'print everything as JSON')
  .option('--only <row>', 'one behaviour, by its number or id')
  .option('--write', 'write docs/comparison.md')
  .parse()
  .opts<Options>()

try {
  const numberOf = (row: Behaviour): number => behaviours.indexOf(row) + 1
  const rows = behaviours.filter((row) => !only || [row.id, `${numberOf(row)}`].includes(only))
  if (rows.length === 0) throw new Error(`No behaviour ${only}`)
  if (only && write) throw new Error('--write wants all behaviours')
  const { columns, around } = await observeAll(rows)
  if (json) {
    const listed = columns.map(({ observations, ...column }) => ({
      ...column,
      observations: Object.fromEntries(observations),
    }))
    console.log(JSON.stringify({ around, columns: listed, figure: figure(rows, columns) }, null, 2))
  } else {
    console.log(terminalTable(rows, columns, numberOf))
    if (only)
      for (const { name, observations } of columns)
        console.log(`${name}: ${observations.get(rows[0]!.id)?.saw}`)
    if (write) {
      await mkdir(new URL('.', page), { recursive: true })
      await writeFile(page, markdown(rows, columns, around))
    }
    console.log(figure(rows, columns))
  }
  const own = [...columns[0]!.observations.values()]
  if (own.some(({ value }) => value === 'FAILS')) process.exitCode = 1
} catch (error) {
  reportFailure(error)
}
