import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { scenarios } from '../../docs/playground/scenarios/all.ts'
import { launchBrowser, violationsOf } from '../support/browser.ts'
import { openPage } from './open-page.ts'
import {
  countsOf,
  isShown,
  press,
  shownRun,
  stepsOf,
  stepUntil,
  toEnd,
  toStart,
  winnerOf,
} from './playground-page.ts'

let browser: Browser
let opened: { page: Page; problems: readonly string[] }[] = []

beforeAll(async () => {
  browser = await launchBrowser()
})
afterEach(async () => {
  const problems = opened.flatMap((one) => one.problems)
  await Promise.all(opened.map(({ page }) => page.context().close()))
  opened = []
  if (problems.length > 0) throw new Error(problems.join('\n'))
})
afterAll(() => browser?.close())

/** Opens the playground. It does not play by itself for those who prefer less motion. */
const open = async (query: string, options: BrowserContextOptions = {}): Promise<Page> => {
  const one = await openPage(browser, `/playground/?${query}`, {
    reducedMotion: 'reduce',
    ...options,
  })
  opened.push(one)
  await isShown(one.page)
  return one.page
}

describe('what the page shows', () => {
  it('a crowd has one winner', async () => {
    const page = await open('')
    await press(page, 'Crowd of ten')
    await page.waitForURL(/scenario=crowd/)
    await toEnd(page)
    expect(await countsOf(page)).toMatchObject({ winners: 1, 'at-once': 1, refused: 9, writes: 1 })
  })

  it('a node that hangs changes the timeline, and not the winner', async () => {
    const page = await open('scenario=double-click&seed=3')
    const calm = await shownRun(page)
    const winner = await winnerOf(page)
    await toStart(page)
    await press(page, 'Hang Node 1')
    await page.waitForURL(/do=0\.hang\.1$/)
    const sick = await shownRun(page)
    expect(sick).not.toEqual(calm)
    expect(winner).toBeDefined()
    expect(await winnerOf(page)).toBe(winner)
    expect(await countsOf(page)).toMatchObject({ winners: 1, refused: 1 })
  })

  it('with two nodes down there is a winner, and with three nobody gets the lock', async () => {
    const page = await open('')
    for (const [index, node] of ['Node 2', 'Node 4', 'Node 5'].entries()) {
      await toStart(page)
      await press(page, `Kill ${node}`)
      await page.waitForURL((url) => url.search.split('.kill.').length === index + 2)
      await toEnd(page)
      const isEnough = index < 2
      expect(await countsOf(page)).toMatchObject({
        winners: isEnough ? 1 : 0,
        refused: isEnough ? 1 : 0,
        unavailable: isEnough ? 0 : 2,
      })
    }
  })

  it('the store refuses the write of a holder that was paused for too long', async () => {
    const page = await open('scenario=paused-holder')
    await toEnd(page)
    expect(await countsOf(page)).toMatchObject({
      winners: 2,
      'at-once': 1,
      writes: 1,
      'stale-writes': 1,
    })
    expect(await stepsOf(page)).toMatch(
      /The store refuses the write of client 1: its token 20,000 is lower than/,
    )
  })

  it('the seats show who has which slot, a full house, and a seat that comes free', async () => {
    const page = await open('scenario=slots')
    const seats = page.locator('.pg-seat')
    const house = page.locator('.pg-house')
    expect(await seats.allInnerTexts()).toEqual(
      [1, 2, 3].map((slot) => expect.stringMatching(new RegExp(`^slot ${slot}\\s+free`))),
    )
    await stepUntil(page, house, /Full house/)
    await stepUntil(page, page.locator('.pg-seats'), /(on \d of 5 nodes.*){3}/s)
    const held = await seats.allInnerTexts()
    expect(held.join()).toMatch(/Client [123].*Client [123].*Client [123]/s)
    await stepUntil(page, house, /Waiting: clients 4 to 6/)
    await toEnd(page)
    expect(await house.innerText()).toMatch(/3 seats are free. Nobody waits/)
    expect(await countsOf(page)).toMatchObject({ winners: 6, 'at-once': 3, writes: 6 })
  })

  it('a message of a node wakes a client that waits', async () => {
    const page = await open('scenario=wake-up')
    expect(await page.locator('.pg-answer.is-wake').count()).toBeGreaterThan(2)
    const queue = page.locator('.pg-card').first()
    await stepUntil(page, queue, /queue\s+clients 2 and 3/)
    await toEnd(page)
    expect(await stepsOf(page)).toMatch(/sends a message to client 2, the first of its queue/)
    expect(await countsOf(page)).toMatchObject({ winners: 3, wakes: 2 })
    await page.getByLabel('A client that waits').selectOption('poll')
    await page.waitForURL(/waiting=poll/)
    await toEnd(page)
    expect(await page.locator('.pg-timeline > svg .is-wake').count()).toBe(0)
    expect(await countsOf(page)).toMatchObject({ winners: 3 })
  })

  it('a client that is paused while it works loses its lock, and does not write', async () => {
    const page = await open('clients=1')
    await press(page, 'Step')
    await press(page, 'Pause it: client 1')
    await page.waitForURL(/do=\d+\.pause\.1\.5500/)
    await toEnd(page)
    expect(await stepsOf(page)).toContain('which has expired, and does not write')
    expect(await countsOf(page)).toMatchObject({ winners: 1, writes: 0 })
  })

  it('another click during the run is another client', async () => {
    const page = await open('')
    await press(page, 'Step')
    await press(page, '+ One more click, now')
    await page.waitForURL(/do=\d+\.click/)
    await toEnd(page)
    expect(await countsOf(page)).toMatchObject({ winners: 1, refused: 2 })
  })
})

describe('replay', () => {
  it.each(scenarios)('$id: the same url shows the same run', async ({ id }) => {
    const query = `scenario=${id}&seed=7&gap=10`
    const [first, second] = [await open(query), await open(query)]
    expect(await shownRun(second)).toEqual(await shownRun(first))
  })

  it('a url that was made by buttons and sliders shows the same run to others', async () => {
    const page = await open('scenario=crowd')
    await press(page, 'Step')
    await press(page, 'Hang Node 3')
    await press(page, 'Step')
    await press(page, 'Kill Node 1')
    await page.getByLabel('Clients that click').press('ArrowLeft')
    await page.waitForURL(/clients=9/)
    await press(page, 'Another seed')
    await page.waitForURL((url) => !/seed=1&/.test(url.search))
    const shown = await shownRun(page)
    const other = await open(new URL(page.url()).search.slice(1))
    expect(await shownRun(other)).toEqual(shown)
  })

  it('a wrong url says what is wrong, and shows a run', async () => {
    const page = await open('scenario=crowd&clients=many')
    const alert = page.getByRole('alert')
    expect(await alert.innerText()).toContain(
      'clients is "many". It must be a whole number from 1 to 12',
    )
    await toEnd(page)
    expect(await countsOf(page)).toMatchObject({ winners: 1, refused: 9 })
  })
})

describe('playing', () => {
  it('plays by itself, pauses, and plays to the end', async () => {
    const page = await open('', { reducedMotion: 'no-preference' })
    const time = page.getByLabel('Time', { exact: true })
    const place = async (): Promise<number> => Number(await time.inputValue())
    await page.waitForFunction(
      () => Number(document.querySelector<HTMLInputElement>('.pg-seek')?.value) > 1,
    )
    await press(page, 'Pause')
    const paused = await place()
    await page.waitForTimeout(300)
    expect(await place()).toBe(paused)
    await page.getByLabel('Speed').selectOption('250')
    await press(page, 'Play')
    await page.getByRole('button', { name: 'Play again' }).waitFor()
    expect(await countsOf(page)).toMatchObject({ winners: 1, refused: 1, writes: 1 })
  })

  it('shows steps instead of motion to those who prefer that', async () => {
    const page = await open('')
    const places = new Set<string>()
    expect(await page.getByLabel('Time', { exact: true }).inputValue()).toBe('0')
    await press(page, 'Play')
    await page.exposeFunction('noted', (place: string) => void places.add(place))
    await page.evaluate(() => {
      const note = (globalThis as unknown as { noted: (place: string) => void }).noted
      const seek = document.querySelector<HTMLInputElement>('.pg-seek')!
      setInterval(() => note(seek.value), 16)
    })
    await page.locator('.pg-sentence:has-text("Client 2 sees")').waitFor()
    expect(places.size).toBeLessThan(6)
  })
})

describe('for everybody', () => {
  it('works by keyboard alone', async () => {
    const page = await open('')
    const tabTo = async (name: string): Promise<void> => {
      for (let presses = 0; presses < 120; presses++) {
        await page.keyboard.press('Tab')
        const [label, outline] = await page.evaluate(() => {
          const active = document.activeElement!
          const { outlineStyle } = getComputedStyle(active)
          return [active.getAttribute('aria-label') ?? active.textContent?.trim(), outlineStyle]
        })
        if (label !== name) continue
        expect(outline).not.toBe('none')
        return
      }
      throw new Error(`the key Tab does not lead to ${name}`)
    }
    await tabTo('Split vote')
    await page.keyboard.press('Enter')
    await page.waitForURL(/scenario=split-vote/)
    await isShown(page)
    await tabTo('Step')
    await page.keyboard.press('Space')
    await tabTo('Kill Node 5')
    await page.keyboard.press('Enter')
    await page.waitForURL(/do=\d+\.kill\.5/)
    // The run without that node is shown, so the button to kill it has gone.
    await isShown(page)
    await page.keyboard.press('Shift+Tab')
    await tabTo('+ One more click, now')
    await page.keyboard.press('Enter')
    await page.waitForURL(/kill\.5_\d+\.click/)
    await toEnd(page)
    expect(await countsOf(page)).toMatchObject({ winners: 1, 'at-once': 1 })
  })

  it.each(scenarios)('fits on a phone: $id', async ({ id }) => {
    const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }
    const page = await open(`scenario=${id}`, phone)
    await toEnd(page)
    await page.locator('.pg-requests summary').tap()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  })

  const looks = scenarios.flatMap(({ id }) => [
    { id, colorScheme: 'light' as const },
    { id, colorScheme: 'dark' as const },
  ])
  it.each(looks)('axe-core finds no violation: $id, $colorScheme', async ({ id, colorScheme }) => {
    const page = await open(`scenario=${id}`, { colorScheme })
    expect(await violationsOf(page)).toEqual([])
    await page.locator('.pg-requests summary').click()
    await toEnd(page)
    expect(await violationsOf(page)).toEqual([])
  })

  it('reads the sentences out only after the visitor has done something', async () => {
    const page = await open('')
    const live = page.locator('.pg-sentence')
    expect(await live.getAttribute('aria-live')).toBe('off')
    await press(page, 'Step')
    expect(await live.getAttribute('aria-live')).toBe('polite')
  })
})
