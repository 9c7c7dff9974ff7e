export type Cell = string | number

const row = (cells: readonly Cell[]): string => `| ${cells.join(' | ')} |`

/** A table in Markdown. */
export const table = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')

/** A number for readers; a dash where there is none. JSON has null for what is no finite number. */
export const figure = (value: number | null | undefined, digits = 2): string =>
  value === undefined || value === null
    ? '-'
    : Number.isInteger(value)
      ? `${value}`
      : value.toFixed(digits)

/** A share of all, in percent. */
export const percent = (count: number, all: number): string =>
  `${((100 * count) / all).toFixed(1)} %`
