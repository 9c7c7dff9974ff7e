import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { errorsOf, launchBrowser, violationsOf } from '../support/browser.ts'
import { ownPort, printed, runScript } from '../tools/processes.ts'

let browser: Browser
let child: ReturnType<typeof runScript>
let page: Page
let errors: string[]
beforeAll(async () => {
  browser = await launchBrowser()
  child = runScript('start/main', await ownPort(), {})
  const url = /runs on workerd: (\S+)/.exec(await printed(child, 'Ctrl-C'))![1]!
  page = await browser.newPage()
  errors = errorsOf(page)
  await page.goto(`${url}/report`)
  await page.locator('#nodes li').nth(4).waitFor()
})
afterAll(async () => {
  await browser.close()
  child.kill('SIGTERM')
  await child
})

/** Calls ten times, and returns the texts of the answers. */
const call = async (): Promise<string[]> => {
  await page.getByRole('button', { name: 'Call ten times' }).click()
  await page.locator('#answers li').nth(9).waitFor()
  return page.locator('#answers strong').allTextContents()
}

it('shows one report to all calls, and another one after it is forgotten', async () => {
  const first = new Set(await call())
  expect(first.size).toBe(1)
  expect(await page.locator('#summary').textContent()).toBe('1 run answered 10 of 10 calls.')
  await page.locator('#nodes').getByText('stored value report:').first().waitFor()
  // A node that still takes part in the call is not told, and the page says so.
  await eventually(async () => {
    await page.getByRole('button', { name: 'Forget the report' }).click()
    expect(await page.locator('#summary').textContent()).toMatch(/^It is forgotten/)
  })
  const [second] = new Set(await call())
  expect(first.has(second!)).toBe(false)
  // No run between the two was hidden.
  const numbers = [...first, second].map((text) => Number(/Report (\d+):/.exec(text!)![1]))
  expect(numbers[1]).toBe(numbers[0]! + 1)
  expect(await violationsOf(page)).toEqual([])
  expect(errors).toEqual([])
})
