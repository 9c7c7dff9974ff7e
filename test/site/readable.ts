import type { Browser, BrowserContextOptions } from 'playwright-core'
import { violationsOf } from '../support/browser.ts'
import { openPage } from './open-page.ts'

/** Lists why a page is hard to read: violations that axe-core finds, content wider than the screen, and failures. */
export const obstaclesOn = async (
  browser: Browser,
  path: string,
  options: BrowserContextOptions,
): Promise<readonly unknown[]> => {
  const { page, problems } = await openPage(browser, path, options)
  await page.locator('[role=main], main').first().waitFor()
  const violations = await violationsOf(page)
  const excess = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  await page.context().close()
  return [...violations, ...(excess > 1 ? [`${excess} px wider than the screen`] : []), ...problems]
}
