import { describe, expect, it } from 'vitest'
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
} from './page.ts'
import { useBrowser } from './use-browser.ts'

const open = useBrowser()

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

  it.each([
    ['another scene', 'Crowd of ten'],
    ['another seed', 'Another seed'],
    ['another click', '+ One more click, now'],
  ])('plays %s that is chosen after the end of a run', async (_, button) => {
    const page = await open('', { reducedMotion: 'no-preference' })
    await page.getByLabel('Speed').selectOption('250')
    await page.getByRole('button', { name: 'Play again' }).waitFor()
    const before = page.url()
    await page.getByLabel('Speed').selectOption('5')
    await press(page, button)
    await page.waitForURL((url) => url.href !== before)
    await isShown(page)
    const pause = page.getByRole('button', { name: 'Pause', exact: true })
    await expect.poll(() => pause.isVisible()).toBe(true)
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
