/** Aligns rows in columns that are separated by two spaces. */
export const table = (rows: readonly (readonly string[])[]): string[] => {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, text] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, text.length)
    }
  }
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}
