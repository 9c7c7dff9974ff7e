import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pageOf, targetOf } from './outside-links.ts'

// Writes a page for each file of the repository to which a page of the site links, such as the examples, and for each
// file to which those link in turn.

const root = fileURLToPath(new URL('../..', import.meta.url))
const docs = join(root, 'docs')

/** Fenced code, or a link; only links have a group. */
const pattern = /^```.*?^```$|(?<=\]\()([^)\s]+)(?=\))/gms

/** The files outside `docs` to which a file links. */
const outsideOf = async (path: string): Promise<string[]> => {
  const from = join(root, path)
  const links = [...(await readFile(from, 'utf8')).matchAll(pattern)].flatMap(([, href]) =>
    href ? [targetOf(href, from)?.path] : [],
  )
  return links.filter(
    (one) => one !== undefined && /^(?:repository|reports)\//.test(pageOf(one)),
  ) as string[]
}

/** The text of a page: Markdown whose links lead to pages, or code. */
const textOf = async (path: string): Promise<string> => {
  const from = join(root, path)
  const text = await readFile(from, 'utf8')
  if (!path.endsWith('.md')) return `# ${path}\n\n\`\`\`${extname(path).slice(1)}\n${text}\`\`\`\n`
  return text.replaceAll(pattern, (found, href?: string) => {
    const target = href && targetOf(href, from)
    if (!target) return found
    const link = relative(dirname(pageOf(path)), pageOf(target.path))
    return `./${link}${target.anchor}`
  })
}

await rm(join(docs, 'repository'), { recursive: true, force: true })
const found = new Set<string>()
const open: string[] = []
const exclude = (name: string): boolean =>
  /^docs\/(?:node_modules|\.vitepress|api|reports)\b/.test(name)
for await (const page of glob('docs/**/*.md', { cwd: root, exclude })) open.push(page)
while (open.length > 0) {
  for (const path of await outsideOf(open.pop()!)) {
    if (found.has(path) || !pageOf(path).startsWith('repository/')) continue
    found.add(path)
    if (path.endsWith('.md')) open.push(path)
  }
}
for (const path of found) {
  const page = join(docs, pageOf(path))
  await mkdir(dirname(page), { recursive: true })
  await writeFile(page, await textOf(path))
}
