import Table from 'cli-table3'

type Cell = string | number

/** The columns of a table: their headings, with the text for each row. */
export type Columns<Row> = { readonly [head: string]: (row: Row) => Cell }

const cellsOf = <Row>(rows: readonly Row[], columns: Columns<Row>): Cell[][] =>
  rows.map((row) => Object.values(columns).map((read) => read(row)))

/** A table for the terminal. */
export const terminalTable = <Row>(rows: readonly Row[], columns: Columns<Row>): string => {
  const table = new Table({ head: Object.keys(columns), style: { compact: true } })
  table.push(...cellsOf(rows, columns))
  return table.toString()
}

/** The same table in Markdown, without empty columns. */
export const markdownTable = <Row>(rows: readonly Row[], columns: Columns<Row>): string => {
  const heads = Object.keys(columns)
  const cells = cellsOf(rows, columns)
  const isShown = (column: number): boolean => cells.some((row) => row[column] !== '')
  const line = (all: readonly Cell[]): string =>
    `| ${all.filter((_, column) => isShown(column)).join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...cells.map(line)].join('\n')
}

/** A number for readers; a dash if there is none. JSON writes numbers that are not finite as null. */
export const figure = (value: number | null | undefined, digits = 2): string => {
  if (value === undefined || value === null || !Number.isFinite(value)) return '-'
  return Number.isInteger(value) ? `${value}` : value.toFixed(digits)
}

/** A fraction of the total, in percent. */
export const percent = (count: number, all: number): string =>
  `${((100 * count) / all).toFixed(1)} %`
