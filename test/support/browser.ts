import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findBrowser } from '../../tools/release/chromium.ts'

/** Starts Chromium without a window. @throws with advice when it is not installed. */
export const launchBrowser = (): Promise<Browser> =>
  // As root, which containers often run as, Chromium starts only without its sandbox.
  chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox'] })

/** Collects what the page reports to the console as an error, and the errors that nobody catches. */
export const errorsOf = (page: Page): string[] => {
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => errors.push(error.message))
  return errors
}

/** The violations that axe-core finds, one line each. */
export const violationsOf = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe.source)
  const found = await page.evaluate<axe.AxeResults>('axe.run()')
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}
