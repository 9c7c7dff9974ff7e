import type { MarkdownRenderer } from 'vitepress'

/** An empty cell in the first row of a table is no header, which a screen reader would announce. */
export const plainEmptyHeaders = (md: MarkdownRenderer): void => {
  md.core.ruler.push('empty-table-headers', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type !== 'th_open' || tokens[index + 1]?.content.trim()) continue
      token.tag = 'td'
      tokens[index + 2]!.tag = 'td'
    }
  })
}
