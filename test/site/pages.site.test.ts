import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { openPage } from './open-page.ts'
import { obstaclesOn } from './readable.ts'
import { eventually } from '../support/eventually.ts'

// The pages can be read by everybody: with a screen reader, in the dark, on a phone. The playground has
// tests of its own.

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser?.close())

// One page of each kind. The long ones take axe-core half a minute.
const pages = [
  '/',
  '/features/locks.html',
  '/reference/options.html',
  '/api/edge-redlock/doctor/',
] as const
const more = [
  '/quick-start.html',
  '/guides/cloudflare.html',
  '/guides/vercel.html',
  '/understand/how-it-works.html',
  '/reference/troubleshooting.html',
  '/verified.html',
]
const desktop = { viewport: { width: 1280, height: 900 } }
const tablet = { viewport: { width: 768, height: 1024 } }
const phone = { viewport: { width: 390, height: 844 } }
const views = {
  'in the light': [{ ...desktop, colorScheme: 'light' }, [...pages, ...more]],
  'in the dark': [{ ...desktop, colorScheme: 'dark' }, pages],
  'on a tablet': [tablet, ['/quick-start.html']],
  'on a phone': [phone, [...pages, '/understand/how-it-works.html']],
} as const

describe.each(Object.entries(views))('%s', (_, [options, paths]) => {
  it.each(paths)(
    '%s has no violation of axe-core, and nothing wider than the screen',
    async (path) => {
      expect(await obstaclesOn(browser, path, options)).toEqual([])
    },
  )
})

it.each([
  '/api/edge-redlock/',
  '/api/edge-redlock/classes/Redlock.html',
  '/api/edge-redlock/idempotency/',
  '/api/edge-redlock/idempotency/functions/once.html',
])('%s is at most 8,000 px high, and begins with calls', async (path) => {
  const { page } = await openPage(browser, path, { viewport: { width: 1440, height: 900 } })
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  expect(height).toBeLessThanOrEqual(8_000)
  const text = await page.getByRole('main').innerText()
  expect(text).not.toMatch(/captureStackTrace|Inherited from Error/i)
  const [calls, errors] = ['Functions', 'Errors'].map((name) =>
    text.search(RegExp(`^${name}`, 'm')),
  )
  if (errors! >= 0) expect(calls).toBeLessThan(errors!)
  await page.context().close()
})

it('the search finds a page, without a server', async () => {
  const { page, problems } = await openPage(browser, '/', desktop)
  const box = page.getByRole('searchbox')
  // The button works once the scripts of the page have run.
  await eventually(async () => {
    if (!(await box.isVisible())) await page.getByRole('button', { name: 'Search' }).click()
    await box.waitFor({ timeout: 1_000 })
  })
  await box.fill('volatile')
  await page
    .getByRole('link', { name: /Volatile nodes/ })
    .first()
    .click()
  await page.waitForURL(/understand\/databases/)
  expect(problems).toEqual([])
  await page.context().close()
})
