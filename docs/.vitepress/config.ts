import { defineConfig } from 'vitepress'
import { linkOutside } from './outside-links.ts'
import { nav, sidebar } from './sidebar.ts'

// Nothing on the site is loaded from elsewhere: neither fonts, nor search, nor analytics.

export default defineConfig({
  title: 'edge-redlock',
  description: 'A distributed lock on a majority of independent Redis servers, over fetch',
  lang: 'en',
  // The folder on the server, for a site that is not at its root: DOCS_BASE=/edge-redlock/
  base: process.env['DOCS_BASE'] ?? '/',
  markdown: { config: linkOutside },
  themeConfig: {
    nav,
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [],
  },
})
