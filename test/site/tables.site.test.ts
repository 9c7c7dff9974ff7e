import { globSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { openPage } from './open-page.ts'

// Tables on phones: nobody has to find out that a column is beyond the edge of the screen.

const exclude = ['docs/node_modules/**', 'docs/.vitepress/**']
const pages = globSync('docs/**/*.md', { exclude })
  .map((file) => file.replace(/^docs/, '').replace(/md$/, 'html'))
  .sort()
const isReport = (path: string): boolean => path.startsWith('/reports/')

let browser: Browser
let page: Page
beforeAll(async () => {
  browser = await launchBrowser()
  ;({ page } = await openPage(browser, '/', { viewport: { width: 390, height: 844 } }))
})
afterAll(() => browser?.close())

const visit = async (path: string): Promise<void> => {
  await page.goto(inject('SITE_URL') + path)
  await page.locator('.vp-doc').waitFor()
}

/** The tables of the page that are wider than their box, by their headers. */
const wideTables = (): Promise<string[]> =>
  page
    .locator('.vp-doc table')
    .evaluateAll((tables) =>
      tables
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map((table) => table.querySelector('tr')!.innerText),
    )

it('no table is wider than a phone, except in reports', async () => {
  const wide: string[] = []
  for (const path of pages.filter((one) => !isReport(one))) {
    await visit(path)
    for (const width of [390, 360]) {
      await page.setViewportSize({ width, height: 844 })
      for (const table of await wideTables()) wide.push(`${path} at ${width}: ${table}`)
    }
  }
  expect(wide).toEqual([])
  // It opens all pages.
}, 240_000)

it('a report whose table is wider shows it, and scrolls by keyboard', async () => {
  await page.setViewportSize({ width: 360, height: 844 })
  await visit('/reports/comparison.html')
  expect(await wideTables()).not.toEqual([])
  const table = page.locator('.vp-doc table').first()
  expect(await table.evaluate((one) => getComputedStyle(one).maskImage)).not.toBe('none')
  await table.focus()
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => table.evaluate(({ scrollLeft }) => scrollLeft)).toBeGreaterThan(0)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
})

it('on a phone, an option is a list that names its type and its default', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await visit('/reference/options.html')
  const row = page.getByRole('row', { name: /^budget/ })
  const left = (name: RegExp): Promise<number> =>
    row.getByRole('cell', { name }).evaluate((cell) => cell.getBoundingClientRect().left)
  expect(await left(/most requests/)).toBe(await left(/^budget/))
  const labels = await row
    .getByRole('cell')
    .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell, '::before').content))
  expect(labels.map((label) => /\w+/.exec(label)![0])).toEqual(['none', 'type', 'default', 'none'])
})

it('the options have an outline', async () => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await visit('/reference/options.html')
  const outline = page.getByRole('navigation', { name: /on this page/i })
  expect(await outline.getByRole('link', { name: 'advanced' }).isVisible()).toBe(true)
})
