import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { inject } from 'vitest'

/** A page of the site, and all that went wrong on it. */
export type Opened = { readonly page: Page; readonly problems: readonly string[] }

/**
 * Opens a page of the site in a browser of its own. `problems` grows with everything that the console
 * shows, that fails, or that is asked from another server.
 */
export const openPage = async (
  browser: Browser,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Opened> => {
  const site = inject('SITE_URL')
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    // The server of the tests compresses each response anew, which takes it a second per page.
    extraHTTPHeaders: { 'accept-encoding': 'identity' },
    ...options,
  })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => {
    if (/error|warning/.test(message.type())) problems.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`)
  })
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(site) && !url.startsWith('data:')) problems.push(`elsewhere: ${url}`)
  })
  await page.goto(site + path)
  return { page, problems }
}
