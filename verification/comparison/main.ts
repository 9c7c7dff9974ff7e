import { mkdir, writeFile } from 'node:fs/promises'
import { Option } from 'commander'
import { runCommand } from '../../tools/cli/command.ts'
import { flagOption } from '../../tools/cli/options.ts'
import { behaviours } from './behaviours/all.ts'
import type { Behaviour } from './behaviours/behaviour.ts'
import { observeAll } from './observe-all.ts'
import { figure, markdown, terminalTable } from './table.ts'

type Options = { only?: string; write?: true }

const page = new URL('../../verification/reports/comparison.md', import.meta.url)
const numberOf = (row: Behaviour): number => behaviours.indexOf(row) + 1

await runCommand<Options>(
  {
    name: 'npm run verify -- rivals',
    description: 'Run other published libraries and this project through the same faults',
    options: {
      only: new Option('--only <row>', 'one behavior, by its number or ID'),
      write: flagOption('--write', 'write verification/reports/comparison.md'),
    },
    jsonIndent: 2,
  },
  async ({ only, write }, { isJson }) => {
    const rows = behaviours.filter((row) => !only || [row.id, `${numberOf(row)}`].includes(only))
    if (rows.length === 0) throw new Error(`No behaviour ${only}`)
    if (only && write) throw new Error('--write needs all behaviors: leave out --only')
    const { columns, around } = await observeAll(rows)
    if (write && !isJson) {
      await mkdir(new URL('.', page), { recursive: true })
      await writeFile(page, markdown(rows, columns, around))
    }
    const listed = columns.map(({ observations, ...column }) => ({
      ...column,
      observations: Object.fromEntries(observations),
    }))
    const own = [...columns[0]!.observations.values()]
    const details = columns.map(
      ({ name, observations }) => `${name}: ${observations.get(rows[0]!.id)?.saw}`,
    )
    return {
      isMet: own.every(({ value }) => value !== 'FAILS'),
      json: { around, columns: listed, figure: figure(rows, columns) },
      lines: [
        terminalTable(rows, columns, numberOf),
        ...(only ? details : []),
        figure(rows, columns),
      ],
    }
  },
)
