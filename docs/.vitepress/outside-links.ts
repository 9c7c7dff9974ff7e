import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MarkdownRenderer } from 'vitepress'

type Token = MarkdownRenderer extends { parse: (...given: never) => (infer One)[] } ? One : never

const docs = fileURLToPath(new URL('..', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const { repository } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as {
  repository?: { url: string }
}
const page = repository?.url.replace(/^git\+/, '').replace(/\.git$/, '')

/** The reports in `verification/reports` that are pages of the site: reports.ts copies them into `docs/reports`. */
export const reports = [
  'comparison',
  'idempotency-comparison',
  'benchmarks',
  'chaos',
  'mutants',
  'runtimes',
] as const

/** The link to the page of a report, if a link leads to one. */
const reportLink = (href: string, path: string, from: string): string | undefined => {
  const name = reports.find((one) => path === `verification/reports/${one}.md`)
  const [, anchor = ''] = /(#.*)?$/.exec(href)!
  return name && join(relative(dirname(from), docs), 'reports', `${name}.md`) + anchor
}

/** The path of a link to a file of the repository that is not a page of the site. */
const outsidePath = (href: string, from: string): string | undefined => {
  if (!/^\.\.?\//.test(href)) return undefined
  const target = resolve(dirname(from), href.replace(/[#?].*/, ''))
  if (!relative(docs, target).startsWith('..')) return undefined
  if (!existsSync(target)) throw new Error(`${from} links to ${href}, which does not exist`)
  return relative(root, target)
}

/** Turns a link into its text, and the path of its file in the repository unless the text is that. */
const nameFile = (tokens: Token[], index: number, path: string): void => {
  const end = tokens.findIndex(({ type }, at) => at > index && type === 'link_close')
  const text = tokens.slice(index + 1, end).map(({ content }) => content)
  const isNamed = path.startsWith(text.join('').replaceAll('`', ''))
  for (const part of [tokens[index]!, tokens[end]!]) {
    part.type = 'text'
    part.tag = ''
    part.content = part === tokens[end] && !isNamed ? ` (in the repository: ${path})` : ''
  }
}

/**
 * Links from a page to other files of the repository, such as sources and examples, lead to the
 * repository. While `package.json` names none, they become plain text with the path of the file. Reports are pages of the site.
 */
export const linkOutside = (md: MarkdownRenderer): void => {
  md.core.ruler.push('outside-links', ({ tokens, env }) => {
    const place: { readonly realPath?: string; readonly path: string } = env
    const from = place.realPath ?? place.path
    for (const { children } of tokens) {
      const parts = children ?? []
      for (const [index, token] of parts.entries()) {
        const href = token.type === 'link_open' && token.attrGet('href')
        const path = href && outsidePath(href, from)
        if (!path) continue
        const report = reportLink(href, path, from)
        if (report) token.attrSet('href', `./${report}`)
        else if (page) token.attrSet('href', `${page}/blob/main/${path}`)
        else nameFile(parts, index, path)
      }
    }
  })
}
