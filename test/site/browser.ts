import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { inject } from 'vitest'

// A real browser: Debian's Chromium, unless CHROMIUM names another. Without one the tests fail.

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium' })

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
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
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

/** The violations that axe-core finds on a page, in words. */
export const violationsOf = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(),
  )
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html} ${failureSummary}`),
  )
}
