import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { recordAll } from '../../docs/playground/record/record.ts'
import { launchBrowser, violationsOf } from '../support/browser.ts'
import { openPage, type Opened } from './open-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser?.close())

const open = (options: BrowserContextOptions = {}): Promise<Opened> =>
  openPage(browser, '/playground/', { reducedMotion: 'reduce', ...options })

const sceneOf = (page: Page, id: string): Locator => page.locator(`[data-scene=${id}]`)

const close = async ({ page, problems }: Opened): Promise<void> => {
  await page.context().close()
  expect(problems).toEqual([])
}

it('shows what a fresh recording says', async () => {
  const opened = await open()
  const recordings = Object.values(await recordAll())
  const scenes = opened.page.locator('.scene')
  expect(await scenes.count()).toBe(recordings.length)
  for (const { id, steps, bars } of recordings) {
    const scene = sceneOf(opened.page, id)
    const told = steps.map(({ at, text }) => `${at} ms ${text}`)
    expect(await scene.locator('li').allTextContents()).toEqual(told)
    expect(await scene.locator('rect.bar').count()).toBe(bars.length)
  }
  await close(opened)
})

it('plays each scene to its end, where its holders are seen', async () => {
  const opened = await open()
  const { page } = opened
  await page.clock.install()
  for (const { id, steps, bars } of Object.values(await recordAll())) {
    const scene = sceneOf(page, id)
    const holders = bars.filter(({ label }) => label === 'holds').length
    const places = (): Promise<number[]> =>
      scene
        .locator('.veil, rect.holds')
        .evaluateAll((all) => all.map((one) => Number(one.getAttribute('x'))))
    await scene.getByRole('button', { name: 'Play' }).click()
    // Nobody holds the lock at the beginning: the veil is before all bars.
    expect(Math.min(...(await places()))).toBe((await places()).at(-1))
    await page.clock.runFor(steps.length * 1_000)
    await scene.getByRole('button', { name: 'Play' }).waitFor()
    expect(await scene.locator('rect.holds').count()).toBe(holders)
    expect(Math.max(...(await places()))).toBe((await places()).at(-1))
    expect(await scene.locator('.step').innerText()).toContain(steps.at(-1)!.text)
  }
  await close(opened)
})

it('works by keyboard alone', async () => {
  const opened = await open()
  const { page } = opened
  const { steps } = (await recordAll())['free-lock']!
  const scene = sceneOf(page, 'free-lock')
  const told = scene.locator('.step')
  await scene.getByRole('button', { name: 'Next step' }).focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Home')
  expect(await told.innerText()).toContain(steps[0]!.text)
  await page.keyboard.press('ArrowRight')
  expect(await told.innerText()).toContain(steps[1]!.text)
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  expect(await told.innerText()).toContain(steps[2]!.text)
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle)
  expect(outline).toBe('solid')
  await close(opened)
})

const wide = { width: 1280, height: 900 }
const narrow = { width: 390, height: 844 }
it.each([
  { viewport: wide, colorScheme: 'light' as const },
  { viewport: wide, colorScheme: 'dark' as const },
  { viewport: narrow, colorScheme: 'light' as const },
  { viewport: narrow, colorScheme: 'dark' as const },
])('everybody can read it: $viewport.width pixels, $colorScheme', async (options) => {
  const opened = await open(options)
  const { page } = opened
  for (const details of await page.locator('.scene summary').all()) await details.click()
  expect(await violationsOf(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(
    options.viewport.width,
  )
  await close(opened)
})

it('a narrow screen follows the moment that it shows', async () => {
  const opened = await open({ viewport: narrow })
  const scene = sceneOf(opened.page, 'paused-holder')
  const seen = (): Promise<number> => scene.locator('.box').evaluate((box) => box.scrollLeft)
  expect(await seen()).toBe(0)
  await scene.getByRole('button', { name: 'Previous step' }).click()
  await expect.poll(seen).toBeGreaterThan(200)
  await close(opened)
})
