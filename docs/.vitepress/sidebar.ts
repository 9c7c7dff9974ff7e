import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { DefaultTheme } from 'vitepress'

type Item = DefaultTheme.SidebarItem

const docs = fileURLToPath(new URL('..', import.meta.url))

/** The entry of a page. Its text is the first heading, unless it is given. */
const page = (name: string, text?: string): Item => {
  const heading = /^# (.+)$/m.exec(readFileSync(`${docs}/${name}.md`, 'utf8'))?.[1]
  return { text: text ?? heading?.replaceAll(/[`\\]/g, '') ?? name, link: `/${name}` }
}

/** The pages of a folder: those that are named first, then all others by name. */
const folder = (name: string, first: readonly string[] = []): Item[] => {
  const path = `${docs}/${name}`
  if (!existsSync(path)) return []
  const names = readdirSync(path)
    .filter((file) => file.endsWith('.md') && file !== 'index.md')
    .map((file) => file.slice(0, -'.md'.length))
  const order = [...first, ...names.filter((one) => !first.includes(one))]
  return order.filter((one) => names.includes(one)).map((one) => page(`${name}/${one}`))
}

const pages = (...names: string[]): Item[] => names.map((name) => page(name))

const migrating = readdirSync(docs)
  .filter((file) => /^migrating-.*\.md$/.test(file))
  .map((file) => file.slice(0, -'.md'.length))

const guideOrder = [
  'cloudflare',
  'durable-objects',
  'vercel',
  'lambda',
  'node',
  'production',
  'gateway',
]
const recipeOrder = [
  'submit-once',
  'server-action',
  'webhook',
  'cron',
  'job-singleton',
  'streaming',
  'cache-stampede',
  'oauth-token',
]
const conceptOrder = ['vote', 'split-votes', 'sick-nodes', 'fencing', 'volatile-nodes', 'upstash']

export const sidebar: Item[] = [
  {
    text: 'Start',
    items: [
      page('quick-start'),
      ...folder('usage', ['nodes', 'locks', 'throttles', 'middleware', 'errors']),
      page('idempotency'),
      page('once'),
      page('slots'),
      page('wake-up'),
      page('tracing'),
      page('testing', 'Testing'),
      { text: 'Playground', link: '/playground/' },
    ],
  },
  { text: 'Guides', items: folder('guides', guideOrder) },
  { text: 'Recipes', items: folder('recipes', recipeOrder) },
  { text: 'Migrating', items: pages('migrating', ...migrating) },
  {
    text: 'Concepts',
    items: [...folder('concepts', conceptOrder), page('guarantees', 'Guarantees')],
  },
  {
    text: 'Reference',
    items: [
      ...pages(
        'options',
        'upgrading',
        'costs',
        'troubleshooting',
        'edge',
        'servers',
        'gateway',
        'node-services',
      ),
      page('guards', 'Guards'),
      page('security'),
      {
        text: 'API',
        link: '/api/',
        collapsed: true,
        // Written from the docstrings by api.ts.
        items: [...folder('api'), ...folder('api/edge-redlock')],
      },
    ],
  },
].filter(({ items }) => items.length > 0)

export const nav: DefaultTheme.NavItem[] = [
  { text: 'Quick start', link: '/quick-start' },
  { text: 'Concepts', link: '/concepts/vote', activeMatch: '^/concepts/' },
  { text: 'Options', link: '/options' },
  { text: 'API', link: '/api/', activeMatch: '^/api/' },
  { text: 'Playground', link: '/playground/' },
]
