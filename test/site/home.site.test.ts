import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'
import { openPage } from './open-page.ts'

// What a visitor sees first: the promise, the code, the installation and a vote.

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser?.close())

const sceneOf = (page: Page): Locator => page.locator('[data-scene=two-clicks]')

const stepOf = async (page: Page): Promise<number> =>
  Number(await sceneOf(page).getByRole('slider').inputValue())

const lastStepOf = async (page: Page): Promise<number> =>
  Number(await sceneOf(page).getByRole('slider').getAttribute('max'))

it('plays the vote by itself, from its start to the second answer', async () => {
  const { page, problems } = await openPage(browser, '/')
  expect(await stepOf(page)).toBeLessThan(await lastStepOf(page))
  await eventually(async () => expect(await stepOf(page)).toBe(await lastStepOf(page)))
  expect(await sceneOf(page).locator('.step').innerText()).toContain('Client 2 gets the answer')
  expect(problems).toEqual([])
  await page.context().close()
})

it('stops the vote, and lets visitors step through it', async () => {
  const { page } = await openPage(browser, '/')
  await sceneOf(page).getByRole('button', { name: 'Pause' }).click()
  const at = await stepOf(page)
  await sceneOf(page).getByRole('button', { name: 'Next step' }).click()
  expect(await stepOf(page)).toBe(at + 1)
  await page.context().close()
})

it('shows the whole vote at once to visitors who prefer reduced motion', async () => {
  const { page } = await openPage(browser, '/', { reducedMotion: 'reduce' })
  await eventually(async () => expect(await stepOf(page)).toBe(await lastStepOf(page)))
  await sceneOf(page).getByRole('button', { name: 'Play' }).waitFor()
  await page.context().close()
})

it('waits with the vote until it is on the screen', async () => {
  const { page } = await openPage(browser, '/', { viewport: { width: 390, height: 500 } })
  await page.locator('h1').waitFor()
  expect(await stepOf(page)).toBe(0)
  await sceneOf(page).scrollIntoViewIfNeeded()
  await eventually(async () => expect(await stepOf(page)).toBeGreaterThan(0))
  await page.context().close()
})

it.each([
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
])(
  'the promise, the code, the installation and the vote come in this order, at $width',
  async (viewport) => {
    const { page } = await openPage(browser, '/', { viewport })
    const parts = ['h1', '.language-ts', '.language-sh', '[data-scene=two-clicks]']
    const order = await page
      .locator(parts.map((part) => `.first-screen ${part}`).join(', '))
      .evaluateAll(
        (all, selectors) => all.map((one) => selectors.find((part) => one.matches(part))),
        parts,
      )
    expect(order).toEqual(parts)
    const bottoms = await page
      .locator(parts.map((part) => `.first-screen ${part}`).join(', '))
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().bottom))
    // All of them are on the first screen of a desktop.
    if (viewport.width > 1000) expect(Math.max(...bottoms)).toBeLessThan(viewport.height)
    else expect(bottoms).toEqual(bottoms.toSorted((one, other) => one - other))
    await page.context().close()
  },
)
