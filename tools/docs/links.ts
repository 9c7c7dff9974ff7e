import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runCommand } from '../cli/command.ts'
import { tokensOfText } from './tokens.ts'

// Checks every link of the built site, and every link between Markdown files of the repository, including anchors. Also
// checks that pages load nothing from other servers. Links to other sites are not checked.

const root = fileURLToPath(new URL('../..', import.meta.url))
const site = join(root, 'docs/.vitepress/dist')
// The base path of the site, as in docs/.vitepress/config.ts.
const base = process.env['DOCS_BASE'] ?? '/'

/** The links and the anchors of a file. */
type Page = { readonly links: readonly string[]; readonly anchors: ReadonlySet<string> }

const all = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found]) =>
    decodeURIComponent(found!.replaceAll('&amp;', '&')),
  )

const readHtml = (html: string): Page => ({
  links: all(html, /<(?:a|link|img|script|source)\b[^>]*?\s(?:href|src)="([^"]*)"/g),
  anchors: new Set(all(html, /\sid="([^"]*)"/g)),
})

/** The anchor that GitHub generates for a heading. */
const slugOf = (heading: string): string =>
  heading
    .replaceAll(/[`*]|\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

const readMarkdown = (markdown: string): Page => {
  const text = markdown
    .replaceAll(/^```.*?^```$/gms, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''))
  const slugs = all(text, /^#{1,6} (.+)$/gm).map(slugOf)
  // VitePress takes the anchor of a heading from its end.
  const given = all(text, /^#{1,6} .+ \{#([\w-]+)\}$/gm)
  return {
    links: all(text, /\]\(([^)\s]+)\)/g),
    anchors: new Set([...slugs, ...given, ...all(text, /\sid="([^"]*)"/g)]),
  }
}

const isElsewhere = (link: string): boolean => /^(?:[a-z]+:|\/\/)/i.test(link)

/** The target file of a link. Links to pages of the site can omit the extension. */
const targetOf = (from: string, path: string): string => {
  if (path === '') return from
  const isAbsolute = path.startsWith(base)
  const target = isAbsolute ? join(site, path.slice(base.length)) : resolve(dirname(from), path)
  return (
    [target, join(target, 'index.html'), `${target}.html`].find(
      (file) => existsSync(file) && /\.\w+$/.test(file),
    ) ?? target
  )
}

const problemsOf = async (pattern: string, read: (text: string) => Page): Promise<string[]> => {
  const pages = new Map<string, Page>()
  const exclude = (name: string): boolean =>
    /(?:^|\/)(?:node_modules|\.git|docs\/api|docs\/reports|docs\/repository)(?:\/|$)/.test(name)
  for await (const file of glob(pattern, { cwd: root, exclude })) {
    const path = join(root, file)
    pages.set(path, read(await readFile(path, 'utf8')))
  }
  if (pages.size === 0) return [`there are no files ${pattern}: run npm run docs -- build`]
  return [...pages].flatMap(([from, { links }]) =>
    links
      .filter((link) => !isElsewhere(link))
      .flatMap((link) => {
        const [path = '', anchor] = link.split('#')
        const target = targetOf(from, path)
        // The API reference exists only on the site, which is checked separately.
        if (target.startsWith(join(root, 'docs/api'))) return []
        if (!existsSync(target)) return [`${from}: ${link} leads to no file`]
        const anchors = pages.get(target)?.anchors
        return anchor && anchors && !anchors.has(anchor)
          ? [`${from}: ${link} has no such heading`]
          : []
      }),
  )
}

/** Finds the resources that pages of the site load from other servers. */
const loadedFromElsewhere = async (): Promise<string[]> => {
  const found: string[] = []
  for await (const file of glob('**/*.{html,css}', { cwd: site })) {
    const text = await readFile(join(site, file), 'utf8')
    const urls = [
      ...all(text, /<(?:img|script|iframe|source)\b[^>]*?\ssrc="((?:https?:)?\/\/[^"]*)"/g),
      ...all(text, /<link\b[^>]*?\shref="((?:https?:)?\/\/[^"]*)"/g),
      ...all(text, /(?:url\(|@import\s*)["']?((?:https?:)?\/\/[^"')]+)/g),
    ]
    found.push(...urls.map((url) => `${file} loads ${url}`))
  }
  return found
}

await runCommand(
  {
    name: 'npm run docs -- build',
    description: 'Check the links of the built site and of the Markdown files',
    options: {},
  },
  async () => {
    const tokens = await tokensOfText()
    const problems = [
      ...(tokens > 0 ? [] : ['there is no llms-full.txt: run npm run docs -- build']),
      ...(await problemsOf('docs/.vitepress/dist/**/*.html', readHtml)),
      ...(await problemsOf('**/*.md', readMarkdown)),
      ...(await loadedFromElsewhere()),
    ].map((problem) => problem.replaceAll(root, ''))
    const isMet = problems.length === 0
    return {
      isMet,
      json: { isMet, problems, tokens },
      lines: [
        ...problems,
        `llms-full.txt has ${tokens} tokens.`,
        `Links: ${isMet ? 'all lead somewhere' : `${problems.length} wrong`}.`,
      ],
    }
  },
)
