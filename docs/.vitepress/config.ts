import { defineConfig } from 'vitepress'
import llmstxt from 'vitepress-plugin-llms'
import { linkOutside } from './outside-links.ts'
import { nav, sidebar } from './sidebar.ts'
import { plainEmptyHeaders } from './table-headers.ts'

// Nothing on the site is loaded from elsewhere: neither fonts, nor search, nor analytics.

// The folder on the server, for a site that is not at its root: DOCS_BASE=/edge-redlock/
const base = process.env['DOCS_BASE'] ?? '/'

export default defineConfig({
  title: 'edge-redlock',
  description: 'A distributed lock on a majority of independent Redis servers, over fetch',
  lang: 'en',
  base,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}favicon.svg` }]],
  markdown: {
    config: (md) => {
      linkOutside(md)
      plainEmptyHeaders(md)
    },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  srcExclude: ['**/node_modules/**'],
  // Writes llms.txt, llms-full.txt and the Markdown of each page beside its HTML.
  vite: { plugins: [llmstxt({ ignoreFilesPerOutput: { llmsFullTxt: ['mutants.md'] } })] },
  themeConfig: {
    nav,
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [],
  },
})
