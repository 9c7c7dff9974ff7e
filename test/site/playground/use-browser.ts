import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { launchBrowser } from '../../support/browser.ts'
import { openPage } from '../open-page.ts'
import { isShown } from './page.ts'

/** Opens the playground with this query, and waits until it shows the run of its url. */
export type Open = (query: string, options?: BrowserContextOptions) => Promise<Page>

/**
 * Starts a browser for the tests of a file. After each test, closes the pages that it has opened.
 *
 * @throws in a test whose pages report errors.
 */
export const useBrowser = (): Open => {
  let browser: Browser
  let opened: { page: Page; problems: readonly string[] }[] = []

  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterEach(async () => {
    const problems = opened.flatMap((one) => one.problems)
    await Promise.all(opened.map(({ page }) => page.context().close()))
    opened = []
    if (problems.length > 0) throw new Error(problems.join('\n'))
  })
  afterAll(() => browser?.close())

  return async (query, options = {}) => {
    // The playground does not play by itself for those who prefer less motion.
    const reducedMotion = 'reduce'
    const one = await openPage(browser, `/playground/?${query}`, { reducedMotion, ...options })
    opened.push(one)
    await isShown(one.page)
    return one.page
  }
}
