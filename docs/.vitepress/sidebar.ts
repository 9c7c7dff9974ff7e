import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { DefaultTheme } from 'vitepress'

type Item = DefaultTheme.SidebarItem

const docs = fileURLToPath(new URL('..', import.meta.url))

/** The entry of a page, with its first heading as the text. */
const page = (name: string, text?: string): Item => {
  const heading = /^# (.+)$/m.exec(readFileSync(`${docs}/${name}.md`, 'utf8'))?.[1]
  return { text: text ?? heading?.replaceAll('`', '') ?? name, link: `/${name}` }
}

/** The pages of a folder: those that are named first, then all others by name. */
const folder = (name: string, first: readonly string[] = []): Item[] => {
  const path = `${docs}/${name}`
  if (!existsSync(path)) return []
  const names = readdirSync(path)
    .filter((file) => file.endsWith('.md') && file !== 'index.md')
    .map((file) => file.slice(0, -'.md'.length))
  const ordered = [
    ...first.filter((one) => names.includes(one)),
    ...names.filter((one) => !first.includes(one)),
  ]
  return ordered.map((one) => page(`${name}/${one}`))
}

const migrating = readdirSync(docs)
  .filter((file) => /^migrating-.*\.md$/.test(file))
  .map((file) => page(file.slice(0, -'.md'.length)))

// Written from the docstrings by api.ts.
const api: Item[] = [
  {
    text: 'API reference',
    link: '/api/',
    collapsed: true,
    items: [...folder('api'), ...folder('api/edge-redlock')],
  },
]

export const sidebar: Item[] = [
  {
    text: 'Guides',
    items: [
      ...folder('guides', ['deployment', 'cloudflare', 'vercel-next', 'lambda', 'node', 'gateway']),
      page('testing'),
    ],
  },
  { text: 'Recipes', items: folder('recipes') },
  { text: 'Migrating', collapsed: true, items: [page('migrating'), ...migrating] },
  {
    text: 'Concepts',
    items: [...folder('concepts'), page('guarantees'), page('guards'), page('security')],
  },
  {
    text: 'Reference',
    items: [page('edge'), page('servers'), page('gateway'), page('node-services'), ...api],
  },
  {
    text: 'Evidence',
    collapsed: true,
    items: ['benchmarks', 'comparison', 'runtimes', 'mutants', 'chaos'].map((name) => page(name)),
  },
]

export const nav: DefaultTheme.NavItem[] = [
  { text: 'Guides', link: '/testing', activeMatch: '^/(guides|recipes)/' },
  { text: 'Concepts', link: '/guarantees', activeMatch: '^/concepts/' },
  { text: 'Playground', link: '/playground/' },
]
