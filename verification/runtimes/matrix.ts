import Table from 'cli-table3'
import type { Case } from './case.ts'

/** The result of one case on one runtime. `none`: the reason why the case does not apply. */
export type Cell = { readonly outcome: 'ok' | 'failed' | 'none'; readonly why?: string }

/** The cells, by case and runtime. */
export type Matrix = {
  readonly runtimes: readonly string[]
  readonly groups: Readonly<Record<string, readonly Case[]>>
  readonly cellOf: (one: Case, runtime: string) => Cell
}

type Row = { readonly group: string } | { readonly name: string; readonly marks: readonly string[] }

/** The rows as they are printed, and the reasons to which their numbers refer. */
const layOut = ({ runtimes, groups, cellOf }: Matrix): { rows: Row[]; reasons: string[] } => {
  const reasons: string[] = []
  const markOf = ({ outcome, why = '' }: Cell): string => {
    if (outcome !== 'none') return outcome === 'ok' ? 'ok' : 'FAILED'
    if (!reasons.includes(why)) reasons.push(why)
    return `[${reasons.indexOf(why) + 1}]`
  }
  const rows: Row[] = []
  for (const [group, cases] of Object.entries(groups)) {
    rows.push({ group })
    for (const one of cases) {
      const marks = runtimes.map((runtime) => markOf(cellOf(one, runtime)))
      rows.push({ name: one.name, marks })
    }
  }
  return { rows, reasons }
}

/** The matrix for a terminal. */
export const toTable = (matrix: Matrix): string => {
  const { rows, reasons } = layOut(matrix)
  const { runtimes } = matrix
  const table = new Table({
    head: ['', ...runtimes.map((name) => name.replace(' ', '\n'))],
    style: { compact: true },
  })
  for (const row of rows) {
    if ('group' in row) {
      table.push([{ content: row.group, colSpan: runtimes.length + 1, hAlign: 'center' }])
    } else table.push([row.name, ...row.marks])
  }
  const notes = reasons.map((reason, index) => `[${index + 1}] ${reason}`)
  return [table.toString(), ...notes].join('\n')
}

/** The matrix as a table of Markdown, with its notes. */
export const toMarkdown = (matrix: Matrix): string => {
  const { rows, reasons } = layOut(matrix)
  const { runtimes } = matrix
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const table = rows.map((row) =>
    'group' in row
      ? line([`**${row.group}**`, ...runtimes.map(() => '')])
      : line([row.name, ...row.marks]),
  )
  const head = [line(['', ...runtimes]), line(['---', ...runtimes.map(() => '---')])]
  const notes = reasons.map((reason, index) => `[${index + 1}] ${reason}`).join('  \n')
  return [[...head, ...table].join('\n'), ...(notes ? [notes] : [])].join('\n\n')
}
