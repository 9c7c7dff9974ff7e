import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'
import { codes } from '../../src/util/codes.ts'
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

const idempotent = 'features/idempotent'
const locks = 'features/locks'
const safe = 'questions/is-redlock-safe'
const troubleshooting = 'reference/troubleshooting'
const cron = 'recipes/cron'

type Search = [query: string, page: string, anchor?: string]

it.each<Search>([
  // One request that arrives twice.
  ['double submit', idempotent],
  ['double click', idempotent],
  ['double charge', idempotent],
  ['duplicate', idempotent],
  ['duplicate request', idempotent],
  ['deduplication', idempotent],
  ['idempotency key', idempotent],
  ['stripe idempotency', idempotent],
  ['5xx', idempotent],
  ['stripe', 'recipes/webhook'],
  ['stripe webhook', 'recipes/webhook'],
  ['webhook signature', 'recipes/webhook'],
  ['double submit server action', 'guides/vercel'],
  ['server actions', 'guides/vercel'],
  ['button', 'recipes/front-end'],
  ['retry button', 'recipes/front-end'],
  ['email sent twice', 'features/once'],
  ['refresh token', 'recipes/cache-stampede'],
  // One at a time.
  ['race condition', locks],
  ['mutex', locks],
  ['deadlock', locks],
  ['work takes longer than the TTL', locks],
  ['which TTL', locks],
  ['auto extend', 'reference/lifecycle'],
  ['is locked', locks],
  ['lock expired', locks],
  ['release an expired lock', locks],
  ['release in another process', locks],
  ['rate limit', 'features/slots'],
  ['semaphore', 'features/slots'],
  ['debounce', 'features/middleware'],
  ['cron', cron],
  ['cron once', cron],
  ['cron runs twice', cron],
  ['leader election', 'recipes/leader'],
  ['nest schedule', cron],
  ['SQS', 'guides/lambda'],
  // Questions before one begins.
  ['redlock unsafe', safe],
  ['is redlock safe', safe],
  ['kleppmann', safe],
  ['antirez', safe],
  ['SET NX', 'questions/set-nx'],
  ['setnx', 'questions/set-nx'],
  ['why not KV', 'questions/workers-kv'],
  ['workers kv', 'questions/workers-kv'],
  ['eventually consistent', 'questions/workers-kv'],
  ['what will I pay', 'questions/bill'],
  ['price', 'questions/bill'],
  ['is one redis enough', 'understand/databases'],
  ['sentinel', 'understand/databases'],
  ['elasticache', 'understand/databases'],
  ['redis cluster', 'understand/databases'],
  ['node-redis', 'guides/node'],
  // What went wrong.
  ['unlock manually', 'guides/production'],
  ['QuorumError', troubleshooting],
  ['LockedError', troubleshooting],
  ['key already exists', troubleshooting],
  ['409', troubleshooting],
  ['429', troubleshooting],
  ['503', troubleshooting],
  ['unable to achieve a quorum during its retry window', 'guides/migrate'],
  // The end of a message leads to its section.
  ...Object.keys(codes).map((code): Search => [code, troubleshooting, code]),
])('%s', async (query, first, anchor) => {
  const box = page.getByRole('searchbox')
  const results = page.locator('.VPLocalSearchBox .result')
  // No result is left of the search before.
  await box.fill('')
  await expect.poll(() => results.count()).toBe(0)
  await box.fill(query)
  await expect
    .poll(async () => (await results.first().getAttribute('href', { timeout: 1_000 })) ?? '')
    .toContain(`/${first}.html${anchor ? `#${anchor}` : ''}`)
})
