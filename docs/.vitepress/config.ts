import { defineConfig } from 'vitepress'
import llmstxt from 'vitepress-plugin-llms'
import { linkOutside } from './outside-links.ts'
import { nav, sidebar } from './sidebar.ts'
import { prepareTables } from './tables.ts'

// Nothing on the site is loaded from elsewhere: neither fonts, nor search, nor analytics.

// Three nodes, of which one is down.
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><g fill="#3451b2"><circle cx="16" cy="7" r="5"/><circle cx="7" cy="24" r="5"/></g><circle cx="25" cy="24" r="4" fill="none" stroke="#c0392b" stroke-width="2"/></svg>`
const icon = `data:image/svg+xml,${encodeURIComponent(svg)}`

export default defineConfig({
  title: 'edge-redlock',
  description: 'A distributed lock on a majority of independent Redis servers, over fetch',
  lang: 'en',
  // The folder on the server, for a site that is not at its root: DOCS_BASE=/edge-redlock/
  base: process.env['DOCS_BASE'] ?? '/',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: icon }]],
  markdown: {
    config: (md) => {
      linkOutside(md)
      prepareTables(md)
    },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  srcExclude: ['**/node_modules/**'],
  // Writes llms.txt, llms-full.txt and the Markdown of each page beside its HTML.
  vite: {
    plugins: [
      llmstxt({ ignoreFilesPerOutput: { llmsFullTxt: ['api/**', 'reports/**', 'repository/**'] } }),
    ],
  },
  themeConfig: {
    nav,
    sidebar,
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            // A long word may have a typo, but Bun is not run, and ERL01 is not ERL02.
            fuzzy: (term: string) => (/^...?$|\d/.test(term) ? false : 0.2),
            // What answers a question first; recordings, the API reference, reports and examples last. VitePress sends this function to
            // the browser as text, so it uses nothing from outside.
            boostDocument: (id: string) => {
              if (/\/(?:api|reports|repository|playground)\//.test(id)) return 0.1
              if (id.includes('/reference/')) return 1.7
              return /\/(?:features|questions)\//.test(id) ? 2 : 1
            },
          },
        },
      },
    },
  },
})
