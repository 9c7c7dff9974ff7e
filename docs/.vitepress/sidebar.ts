import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { DefaultTheme } from 'vitepress'
import { reports } from './outside-links.ts'

type Item = DefaultTheme.SidebarItem

const docs = fileURLToPath(new URL('..', import.meta.url))

/** The entry of a page. Its text is the first heading, unless it is given. */
const page = (name: string, text?: string): Item => {
  const heading = /^# (.+)$/m.exec(readFileSync(`${docs}/${name}.md`, 'utf8'))?.[1]
  return { text: text ?? heading?.replaceAll(/[`\\]/g, '') ?? name, link: `/${name}` }
}

/** The entries of pages in a folder, in this order. */
const pages = (folder: string, ...names: string[]): Item[] =>
  names.map((name) => page(`${folder}/${name}`))

/** The entries of the package in the API reference, which api.ts writes from the docstrings. */
const entries = (): Item[] =>
  globSync('api/**/index.md', { cwd: docs })
    .map((file) => file.replace(/\/?index\.md$/, ''))
    .filter((folder) => folder !== 'api')
    .sort()
    .map((folder) => ({ text: folder.replace('api/', ''), link: `/${folder}/` }))

const reportTitles: Record<(typeof reports)[number], string> = {
  comparison: 'Lock libraries compared',
  'idempotency-comparison': 'Idempotency compared',
  benchmarks: 'Benchmarks',
  chaos: 'Chaos on real servers',
  apps: 'Apps of frameworks',
  explore: 'Every order of events',
  mutants: 'Mutants',
  runtimes: 'Runtimes and bundlers',
}

// In the order in which a beginner needs them.
export const sidebar: Item[] = [
  {
    text: 'Start',
    items: [page('choose'), page('quick-start'), { text: 'Watch it work', link: '/playground/' }],
  },
  {
    text: 'Guides',
    items: pages(
      'guides',
      'cloudflare',
      'durable-objects',
      'vercel',
      'meta-frameworks',
      'lambda',
      'node-frameworks',
      'nest',
      'node',
      'gateway',
      'custom-nodes',
      'testing',
      'production',
      'migrate',
    ),
  },
  {
    text: 'Features',
    items: pages('features', 'middleware', 'idempotent', 'once', 'locks', 'slots'),
  },
  {
    text: 'Recipes',
    items: pages(
      'recipes',
      'front-end',
      'webhook',
      'cron',
      'queues',
      'leader',
      'apis',
      'cache-stampede',
    ),
  },
  {
    text: 'Questions',
    items: [
      ...pages('questions', 'is-redlock-safe', 'set-nx', 'workers-kv', 'bill'),
      { ...page('questions/index'), link: '/questions/' },
    ],
  },
  {
    text: 'Reference',
    items: [
      ...pages('reference', 'options', 'lifecycle', 'troubleshooting'),
      {
        text: 'API',
        link: '/api/',
        collapsed: true,
        items: entries(),
      },
    ],
  },
  {
    text: 'Understand',
    items: [
      ...pages(
        'understand',
        'how-it-works',
        'fencing',
        'databases',
        'guarantees',
        'costs',
        'security',
      ),
    ],
  },
  {
    text: 'Evidence',
    items: [
      page('verified'),
      ...reports.map((name) => page(`reports/${name}`, reportTitles[name])),
    ],
  },
]

export const nav: DefaultTheme.NavItem[] = [
  { text: 'Which one?', link: '/choose' },
  { text: 'Quick start', link: '/quick-start' },
  { text: 'Options', link: '/reference/options' },
  { text: 'API', link: '/api/', activeMatch: '^/api/' },
  { text: 'Evidence', link: '/verified', activeMatch: '^/(verified|reports/)' },
  { text: 'Watch it work', link: '/playground/' },
]
