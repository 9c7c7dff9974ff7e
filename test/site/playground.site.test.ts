import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { clients, idOf, situations } from '../../docs/playground/choices.ts'
import { recordAll } from '../../docs/playground/record/record.ts'
import { scenes } from '../../docs/playground/record/scenes.ts'
import type { Recordings } from '../../docs/playground/recording.ts'
import { launchBrowser, violationsOf } from '../support/browser.ts'
import { openPage, type Opened } from './open-page.ts'

let browser: Browser
let all: Recordings
beforeAll(async () => {
  all = await recordAll()
  browser = await launchBrowser()
  // It repeats each double click in many networks.
}, 240_000)
afterAll(() => browser?.close())

const open = (options: BrowserContextOptions = {}): Promise<Opened> =>
  openPage(browser, '/playground/', { reducedMotion: 'reduce', ...options })

const sceneOf = (page: Page, id: string): Locator => page.locator(`[data-scene=${id}]`)

const close = async ({ page, problems }: Opened): Promise<void> => {
  await page.context().close()
  expect(problems).toEqual([])
}

/** Where a bar begins in the picture. */
const x = (one: Element): number => Number(one.getAttribute('x'))

it('shows what a fresh recording says', async () => {
  const opened = await open()
  const shown = opened.page.locator('.scene[data-scene]')
  expect(await shown.count()).toBe(1 + scenes.length)
  for (const { id } of scenes) {
    const { steps, bars } = all.recordings[id]!
    const scene = sceneOf(opened.page, id)
    const told = steps.map(({ at, text }) => `${at} ms ${text}`)
    expect(await scene.locator('li').allTextContents()).toEqual(told)
    expect(await scene.locator('rect.bar').count()).toBe(bars.length)
  }
  await close(opened)
})

it('plays each scene from its start to its end, where its holders are seen', async () => {
  const opened = await open()
  const { page } = opened
  await page.clock.install()
  for (const { id } of scenes) {
    const { steps, bars } = all.recordings[id]!
    const scene = sceneOf(page, id)
    const now = (): Promise<number> => scene.locator('.veil').evaluate(x)
    const holders = (): Promise<number[]> =>
      scene
        .locator('rect.holds')
        .evaluateAll((found) => found.map((one) => Number(one.getAttribute('x'))))
    // Nobody holds the lock at the beginning: the veil is before all bars.
    expect(await now()).toBeLessThanOrEqual(Math.min(...(await holders())))
    expect(await scene.locator('.step').innerText()).toContain(steps[0]!.text)
    await scene.getByRole('button', { name: 'Play' }).click()
    await page.clock.runFor(steps.length * 1_000)
    await scene.getByRole('button', { name: 'Play' }).waitFor()
    expect(await holders()).toHaveLength(bars.filter(({ label }) => label === 'holds').length)
    expect(await now()).toBeGreaterThan(Math.max(...(await holders())))
    expect(await scene.locator('.step').innerText()).toContain(steps.at(-1)!.text)
  }
  await close(opened)
})

it('plays by itself once it is seen', async () => {
  const opened = await open({ reducedMotion: 'no-preference' })
  const scene = sceneOf(opened.page, 'free-lock')
  const step = scene.getByRole('slider')
  expect(await step.inputValue()).toBe('0')
  await scene.scrollIntoViewIfNeeded()
  await expect.poll(() => step.inputValue(), { timeout: 20_000 }).not.toBe('0')
  await scene.getByRole('button', { name: 'Pause' }).click()
  await scene.getByRole('button', { name: 'Play' }).waitFor()
  await close(opened)
})

it('does not play by itself where the reader wants no motion', async () => {
  const opened = await open()
  const { page } = opened
  await page.clock.install()
  const scene = sceneOf(page, 'free-lock')
  await scene.scrollIntoViewIfNeeded()
  await page.clock.runFor(10_000)
  expect(await scene.getByRole('slider').inputValue()).toBe('0')
  await close(opened)
})

it('works by keyboard alone', async () => {
  const opened = await open()
  const { page } = opened
  const { steps } = all.recordings['free-lock']!
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

const clientOn = (page: Page, client: string): Locator =>
  page.getByRole('radio', { name: new RegExp(`^${client}`) })

const toldOn = (page: Page): Promise<string[]> =>
  page.locator('.scene[data-scene]').first().locator('li').allTextContents()

const toldIn = (id: string): string[] =>
  all.recordings[id]!.steps.map(({ at, text }) => `${at} ms ${text}`)

it('compares clients by keyboard, with each node stopped or frozen', async () => {
  const opened = await open()
  const { page } = opened
  const outcome = page.getByRole('status')
  await clientOn(page, 'parallel').focus()
  for (const client of clients) {
    expect(await clientOn(page, client).isChecked()).toBe(true)
    for (const at of situations) {
      const button =
        at &&
        page.getByRole('button', {
          name: `${at.fault === 'stopped' ? 'Stop' : 'Freeze'} node ${at.node}`,
        })
      await button?.press('Enter')
      const id = idOf(client, at)
      await expect.poll(() => toldOn(page)).toEqual(toldIn(id))
      const won = all.winners[id]!
      expect(await outcome.innerText()).toContain(
        won === all.networks ? 'every time' : `won ${won} times`,
      )
      // The same button ends the fault.
      await button?.press('Space')
    }
    await clientOn(page, client).press('ArrowRight')
  }
  await close(opened)
})

it('the package redlock rejects both clicks at most, and its locks are drawn for their owners', () => {
  for (const id of situations.map((at) => idOf('redlock', at))) {
    const { bars, messages } = all.recordings[id]!
    const holders = bars.filter(({ label }) => label === 'holds')
    expect(holders.length).toBeLessThanOrEqual(1)
    for (const { lane, index, client, from } of bars) {
      if (lane === 'client' || client < 0) continue
      const grant = messages.find(
        (one) => one.answer === 'granted' && one.to === index && one.there === from,
      )
      expect(grant?.client).toBe(client)
    }
  }
})

const wide = { width: 1280, height: 900 }
const narrow = { width: 390, height: 844 }
const phone = { viewport: narrow, hasTouch: true, isMobile: true }

it('works by touch, on controls that a thumb can hit', async () => {
  const opened = await open(phone)
  const { page } = opened
  await page
    .locator('label')
    .filter({ has: clientOn(page, 'redlock') })
    .tap()
  await page.getByRole('button', { name: 'Freeze node 2' }).tap()
  await expect.poll(() => toldOn(page)).toEqual(toldIn('redlock-frozen-2'))
  const scene = page.locator('.scene[data-scene]').first()
  await scene.getByRole('button', { name: 'Next step' }).tap()
  expect(await scene.getByRole('slider').inputValue()).toBe('1')
  // A tap on the picture goes to that moment.
  await scene.locator('svg').tap({ position: { x: 200, y: 100 } })
  expect(Number(await scene.getByRole('slider').inputValue())).toBeGreaterThan(1)
  const sizes = await page
    .locator('.choices :is(button, label), .scene :is(button, input)')
    .evaluateAll((found) => found.map((one) => one.getBoundingClientRect()))
  expect(Math.min(...sizes.flatMap(({ width, height }) => [width, height]))).toBeGreaterThanOrEqual(
    44,
  )
  await close(opened)
})

it.each([
  { viewport: wide, colorScheme: 'light' as const },
  { viewport: wide, colorScheme: 'dark' as const },
  { viewport: narrow, colorScheme: 'light' as const },
  { viewport: narrow, colorScheme: 'dark' as const },
])('everybody can read it: $viewport.width pixels, $colorScheme', async (options) => {
  const opened = await open(options)
  const { page } = opened
  await page.getByRole('button', { name: 'Stop node 1' }).click()
  for (const details of await page.locator('.scene summary').all()) await details.click()
  expect(await violationsOf(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(
    options.viewport.width,
  )
  await close(opened)
})

it('on a phone, the moment that is told is always on the screen', async () => {
  const opened = await open(phone)
  const scene = sceneOf(opened.page, 'paused-holder')
  const isSeen = (): Promise<boolean> =>
    scene.evaluate((one) => {
      const now = one.querySelector('.now')!.getBoundingClientRect()
      const box = one.querySelector('.box')!.getBoundingClientRect()
      return box.left <= now.left && now.left <= box.right && box.right <= innerWidth
    })
  for (const { text } of all.recordings['paused-holder']!.steps) {
    expect(await scene.locator('.step').innerText()).toContain(text)
    await expect.poll(isSeen).toBe(true)
    await scene.getByRole('button', { name: 'Next step' }).tap()
  }
  await close(opened)
})

it('explains what is drawn', async () => {
  const opened = await open()
  expect(await opened.page.locator('.key li').count()).toBeGreaterThan(5)
  await close(opened)
})

it('shows the whole scene where scripts do not run', async () => {
  const opened = await open({ javaScriptEnabled: false })
  const scene = sceneOf(opened.page, 'free-lock')
  expect(await scene.locator('rect.holds').isVisible()).toBe(true)
  expect(await scene.locator('.veil').isVisible()).toBe(false)
  await opened.page.context().close()
})
