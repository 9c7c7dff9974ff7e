import { existsSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MarkdownRenderer } from 'vitepress'

const docs = fileURLToPath(new URL('..', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

/** The reports in `verification/reports` that are pages of the site: reports.ts copies them into `docs/reports`. */
export const reports = [
  'comparison',
  'idempotency-comparison',
  'benchmarks',
  'chaos',
  'apps',
  'explore',
  'mutants',
  'runtimes',
] as const

/** The path in the repository to which a link leads, and its anchor; undefined for links to other sites. */
export const targetOf = (
  href: string,
  from: string,
): { readonly path: string; readonly anchor: string } | undefined => {
  if (/^(?:[a-z]+:|[/#])/i.test(href)) return undefined
  const [, file, anchor] = /^([^#?]*)(.*)$/.exec(href)!
  const target = resolve(dirname(from), file!)
  if (!existsSync(target)) throw new Error(`${from} links to ${href}, which does not exist`)
  const path = relative(root, target)
  return { path: statSync(target).isDirectory() ? join(path, 'README.md') : path, anchor: anchor! }
}

/** The page of the site for a file of the repository, as a path in `docs`. */
export const pageOf = (path: string): string => {
  if (path.startsWith('docs/')) return path.slice('docs/'.length)
  const report = reports.find((name) => path === `verification/reports/${name}.md`)
  if (report) return `reports/${report}.md`
  // VitePress ignores folders whose names begin with a dot.
  return `repository/${path.replace(/^\./, '')}${path.endsWith('.md') ? '' : '.md'}`
}

/**
 * Links from a page to files of the repository outside `docs`, such as examples, lead to the page of that file, which
 * repository.ts writes.
 */
export const linkOutside = (md: MarkdownRenderer): void => {
  md.core.ruler.push('outside-links', ({ tokens, env }) => {
    const place: { readonly realPath?: string; readonly path: string } = env
    const from = place.realPath ?? place.path
    for (const { children } of tokens) {
      for (const token of children ?? []) {
        const href = token.type === 'link_open' && token.attrGet('href')
        if (!href || !href.startsWith('.')) continue
        const target = targetOf(href, from)
        if (!target || target.path.startsWith('docs/')) continue
        token.attrSet(
          'href',
          `./${relative(dirname(from), join(docs, pageOf(target.path)))}${target.anchor}`,
        )
      }
    }
  })
}
