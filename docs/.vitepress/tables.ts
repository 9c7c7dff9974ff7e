import type { MarkdownRenderer } from 'vitepress'

type Token = MarkdownRenderer extends { parse: (...given: never) => (infer One)[] } ? One : never
type Cell = { readonly token: Token; readonly end: Token; readonly text: string }

// Pixels of a character and of the padding of a cell, roughly, and of a table on the narrowest phone.
const [character, padding, phone] = [8, 33, 312]
// Characters of a column whose cells share a line on a phone.
const short = 14

/** The text of a cell, without the addresses of its links. */
const textOf = ({ children }: Token): string =>
  (children ?? []).map(({ type, content }) => (/text|code/.test(type) ? content : ' ')).join('')

/** The rows of a table, the headers first. */
const rowsOf = (table: readonly Token[]): Cell[][] => {
  const rows: Cell[][] = []
  for (const [index, token] of table.entries()) {
    if (token.type === 'tr_open') rows.push([])
    if (token.type === 'th_open' || token.type === 'td_open') {
      const [inline, end] = table.slice(index + 1) as [Token, Token]
      rows.at(-1)!.push({ token, end, text: textOf(inline).trim() })
    }
  }
  return rows
}

const longestOf = (texts: readonly string[]): number =>
  Math.max(...texts.map((text) => text.length))

/** Whether a phone is too narrow for a table: it has many columns, or long words in two. */
const isWide = (columns: readonly (readonly string[])[]): boolean => {
  const widths = columns.map(
    (texts) => padding + character * longestOf(texts.flatMap((text) => text.split(/\s+/))),
  )
  return columns.length > 2 || widths.reduce((sum, width) => sum + width) > phone
}

/** The roles of a table, which browsers forget when its style makes it a list. */
const roles: Readonly<Record<string, string>> = {
  table_open: 'table',
  thead_open: 'rowgroup',
  tbody_open: 'rowgroup',
  tr_open: 'row',
  th_open: 'columnheader',
  td_open: 'cell',
}

/** Lets a table become a list on a phone, in which each cell has the name of its column: see tables.css. */
const label = (table: readonly Token[]): void => {
  const [headers = [], ...rows] = rowsOf(table)
  const columns = headers.map(({ text }, at) => [text, ...rows.map((row) => row[at]?.text ?? '')])
  if (!isWide(columns)) return
  table[0]!.attrJoin('class', 'stacks')
  for (const token of table) {
    const role = roles[token.type]
    if (role) token.attrSet('role', role)
  }
  for (const row of rows) {
    for (const [at, { token }] of row.entries()) {
      token.attrSet('data-label', headers[at]!.text)
      if (longestOf(columns[at]!.slice(1)) <= short) token.attrJoin('class', 'short')
    }
  }
}

/** An empty cell in the first row is no header, which a screen reader would announce. */
const plainEmptyHeaders = (table: readonly Token[]): void => {
  for (const { token, end, text } of rowsOf(table)[0] ?? []) {
    if (text) continue
    token.tag = 'td'
    end.tag = 'td'
    if (token.attrGet('role')) token.attrSet('role', 'cell')
  }
}

/** Prepares tables for screen readers and phones. Reports are for wide screens: their tables scroll. */
export const prepareTables = (md: MarkdownRenderer): void => {
  // That of VitePress lets the keyboard focus all tables. A list scrolls nowhere.
  md.renderer.rules['table_open'] = (tokens, index, options, _env, renderer) => {
    const token = tokens[index]!
    if (!/stacks/.test(token.attrGet('class') ?? '')) token.attrSet('tabindex', '0')
    return renderer.renderToken(tokens, index, options)
  }
  md.core.ruler.push('tables', ({ tokens, env }) => {
    const { relativePath } = env as { readonly relativePath: string }
    for (const [index, { type }] of tokens.entries()) {
      if (type !== 'table_open') continue
      const end = tokens.findIndex((token, at) => at > index && token.type === 'table_close')
      const table = tokens.slice(index, end)
      if (!relativePath.startsWith('reports/')) label(table)
      plainEmptyHeaders(table)
    }
  })
}
