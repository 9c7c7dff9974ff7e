import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'
import { openPage } from './open-page.ts'

// What people search for, and the page that they should see first.

let browser: Browser
let page: Page
beforeAll(async () => {
  browser = await launchBrowser()
  ;({ page } = await openPage(browser, '/'))
  const box = page.getByRole('searchbox')
  // The button works once the scripts of the page have run.
  await eventually(async () => {
    if (!(await box.isVisible())) await page.getByRole('button', { name: 'Search' }).click()
    await box.waitFor({ timeout: 1_000 })
  })
})
afterAll(() => browser?.close())

it.each([
  ['double submit', /features\/idempotent/],
  ['double click', /features\/idempotent/],
  ['duplicate', /features\/idempotent/],
  ['duplicate request', /features\/idempotent/],
  ['deduplication', /features\/idempotent/],
  ['idempotency key', /features\/idempotent/],
  ['stripe', /features\/idempotent|recipes\/webhook/],
  ['5xx', /features\/idempotent/],
  ['race condition', /features\/locks/],
  ['mutex', /features\/locks|features\/middleware/],
  ['deadlock', /features\/locks/],
  ['is locked', /features\/locks|troubleshooting/],
  ['lock expired', /features\/locks|understand|troubleshooting/],
  ['rate limit', /features\/(?:middleware|slots)/],
  ['debounce', /features\/middleware/],
  ['semaphore', /features\/slots/],
  ['redlock unsafe', /understand\/faq/],
  ['is redlock safe', /understand\/faq/],
  ['kleppmann', /understand\/faq/],
  ['SET NX', /understand\/faq|choose/],
  ['QuorumError', /troubleshooting/],
  ['key already exists', /troubleshooting/],
  ['cron', /recipes\/jobs/],
  ['nest schedule', /recipes\/jobs/],
  ['SQS', /guides\/lambda/],
  ['refresh token', /recipes\/cache-stampede/],
  ['unable to achieve a quorum during its retry window', /guides\/migrate/],
])('%s', async (query, first) => {
  const box = page.getByRole('searchbox')
  const results = page.locator('.VPLocalSearchBox .result')
  // No result is left of the search before.
  await box.fill('')
  await expect.poll(() => results.count()).toBe(0)
  await box.fill(query)
  await expect
    .poll(async () => (await results.first().getAttribute('href', { timeout: 1_000 })) ?? '')
    .toMatch(first)
})
