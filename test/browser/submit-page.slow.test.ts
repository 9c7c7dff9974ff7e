import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { errorsOf, launchBrowser, violationsOf } from '../support/browser.ts'
import { until } from '../../tools/cli/until.ts'
import { freshKey } from '../support/nodes.ts'
import { ownPort, printed, runScript } from '../tools/processes.ts'
import { eventually } from '../support/eventually.ts'

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()))
afterAll(() => browser.close())

/** Whether an element can be seen without scrolling. */
const inView = (element: Locator): Promise<boolean> =>
  element.evaluate((found) => {
    const { top, bottom } = found.getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })

describe.each([
  ['real servers', {}],
  ['the embedded engine', { PATH: '/nonexistent' }],
])('the page that throttles, over %s', (_, env) => {
  let child: ReturnType<typeof runScript>
  let url: string
  let page: Page
  let errors: string[]
  let clicks: number
  beforeAll(async () => {
    child = runScript('start/main', await ownPort(), env)
    const output = await printed(child, 'Ctrl-C')
    url = /runs on workerd: (\S+)/.exec(output)![1]!
  })
  afterAll(async () => {
    child.kill('SIGTERM')
    const { exitCode, all } = await child
    if (exitCode !== 0) throw new Error(`npm start ended with ${exitCode}:\n${all}`)
  })

  const open = async (options: BrowserContextOptions = {}): Promise<void> => {
    page = await browser.newPage(options)
    errors = errorsOf(page)
    clicks = 0
    await page.goto(`${url}/submit`)
    await status(5).waitFor()
  }
  afterEach(async () => {
    // Chromium reports the 429 that the test asks for, whatever the page does.
    const isAnswer = /status of (429|503) .*\/assignments\/\d+\/submit$/
    const unexpected = errors.filter((error) => !isAnswer.test(error))
    await page.close()
    if (unexpected.length > 0) throw new Error(`Console errors:\n${unexpected.join('\n')}`)
  })

  const node = (number: number): Locator => page.locator('#nodes li').nth(number - 1)
  const status = (number: number): Locator => node(number).locator('.status')
  const press = async (action: string, number: number, after: string): Promise<void> => {
    const button = page.getByRole('button', { name: `${action} node ${number}` })
    const isDone = async (): Promise<boolean> => (await status(number).textContent()) === after
    // A click is repeated: the cards above may grow at the very moment, so that it hits something else.
    await until(async () => {
      if (await isDone()) return true
      await button.click({ timeout: 1_000 }).catch(() => {})
      return vi
        .waitFor(async () => expect(await isDone()).toBe(true), 3_000)
        .then(
          () => true,
          () => false,
        )
    }, 30_000)
  }
  /** Double-clicks Submit as a new user. @returns both answers, the accepted one first. */
  const doubleClick = async (): Promise<string[]> => {
    await page.getByLabel('User').fill(freshKey())
    await page.getByRole('button', { name: 'Submit' }).dblclick()
    clicks += 2
    const answerTo = async (click: number): Promise<string> => {
      const answer = page.locator('#answers li').filter({ hasText: `Click ${click}.` })
      expect(await answer.locator('time').textContent()).toMatch(/^\d+ ms$/)
      return (await answer.textContent())!.slice(0, 3)
    }
    return (await Promise.all([answerTo(clicks - 1), answerTo(clicks)])).sort()
  }

  it('accepts one click of a double click, and shows the key on each node', async () => {
    await open()
    expect(await doubleClick()).toEqual(['202', '429'])
    const user = await page.getByLabel('User').inputValue()
    for (const number of [1, 2, 3, 4, 5]) {
      await node(number).getByText(`throttle submit:${user}:7`).waitFor()
      expect(await node(number).textContent()).toMatch(/[0-4]\.\d s left/)
    }
  })

  it('accepts one of ten at once, and shows the others as rejected, not as failed', async () => {
    await open()
    await page.getByLabel('User').fill(freshKey())
    await page.getByRole('button', { name: 'Ten at once' }).click()
    await page.locator('#answers li').nth(9).waitFor()
    expect(await page.locator('#answers [data-status="202"]').count()).toBe(1)
    const colorOf = (selector: string): Promise<string> =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).borderLeftColor)
    const rejected = page.locator('#answers li[data-status="429"]')
    expect(await rejected.count()).toBe(9)
    const votes = (status: number): Promise<string | null> =>
      page.locator(`#answers li[data-status="${status}"] .votes`).first().getAttribute('aria-label')
    // A majority may settle a vote before the last nodes are asked or have replied.
    expect((await votes(202))!.match(/granted/g)!.length).toBeGreaterThanOrEqual(3)
    expect(await votes(429)).toContain('held by another click')
    // The color of a node that is down, which is that of an outage.
    await press('Stop', 5, 'down')
    expect(await colorOf('#answers li[data-status="429"]')).not.toBe(
      await colorOf('#nodes [data-status="down"]'),
    )
    await press('Start', 5, 'up')
  })

  it('accepts one click with a node stopped, with another frozen, and with that one killed', async () => {
    await open()
    await press('Stop', 2, 'down')
    expect(await doubleClick()).toEqual(['202', '429'])
    await press('Freeze', 4, 'frozen')
    expect(await doubleClick()).toEqual(['202', '429'])
    await press('Stop', 4, 'down')
    expect(await doubleClick()).toEqual(['202', '429'])
    await press('Start', 2, 'up')
    await press('Start', 4, 'up')
    // A majority is enough, so a node that was slow a moment ago may miss a request, but not for long.
    await vi.waitFor(async () => {
      expect(await doubleClick()).toEqual(['202', '429'])
      await node(4).getByText('throttle').first().waitFor({ timeout: 2000 })
    }, 30_000)
  })

  it('accepts one click while a node is killed that was frozen in between', async () => {
    await open()
    await press('Freeze', 1, 'frozen')
    const answers = doubleClick()
    await press('Stop', 1, 'down')
    expect(await answers).toEqual(['202', '429'])
    await press('Start', 1, 'up')
  })

  it('accepts nothing without a majority, and says why', async () => {
    await open()
    for (const number of [1, 2, 3]) await press('Stop', number, 'down')
    await page.getByText('until then the response is 503').waitFor()
    expect(await doubleClick()).toEqual(['503', '503'])
    for (const number of [1, 2, 3]) await press('Start', number, 'up')
    expect(await doubleClick()).toEqual(['202', '429'])
  })

  it('works by the keyboard alone', async () => {
    await open()
    const pressTab = async (name: string): Promise<void> => {
      const focus = page.locator(':focus')
      for (let tabs = 0; tabs < 20; tabs++) {
        if ((await focus.count()) > 0 && (await focus.textContent()) === name) return
        await page.keyboard.press('Tab')
      }
      throw new Error(`Tab never reaches ${name}`)
    }
    await page.getByLabel('User').fill(freshKey())
    await pressTab('Submit')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await eventually(async () =>
      expect((await page.locator('#answers strong').allTextContents()).sort()).toEqual([
        '202 Accepted',
        '429 Too Many Requests',
      ]),
    )
    await pressTab('Stop node 3')
    await page.keyboard.press('Space')
    await page.getByText('Node 3 is stopped.').waitFor()
    // The focus is still on the button, which now starts the node.
    expect(await page.locator(':focus').textContent()).toBe('Start node 3')
    await page.keyboard.press('Space')
    await page.getByText('Node 3 is started.').waitFor()
  })

  it.each(['light', 'dark'] as const)(
    'is accessible in the %s, with a node down',
    async (scheme) => {
      await open({ colorScheme: scheme })
      expect(await violationsOf(page)).toEqual([])
      expect(await doubleClick()).toEqual(['202', '429'])
      await press('Stop', 2, 'down')
      await press('Freeze', 3, 'frozen')
      expect(await violationsOf(page)).toEqual([])
      await press('Start', 2, 'up')
      await press('Resume', 3, 'up')
    },
  )

  it('fits a phone, whose double tap is two clicks', async () => {
    await open({ viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true })
    await page.getByLabel('User').fill(`${freshKey()}-${freshKey()}`.slice(0, 40))
    const button = page.getByRole('button', { name: 'Submit' })
    await button.tap()
    await button.tap()
    await page.locator('#answers li').nth(1).waitFor()
    await node(1).getByText('throttle').first().waitFor()
    await press('Stop', 5, 'down')
    await page.getByRole('link', { name: '4 of 5 nodes are up' }).tap()
    await vi.waitFor(async () => expect(await inView(page.locator('#nodes h2'))).toBe(true))
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width).toBeLessThanOrEqual(320)
    await press('Start', 5, 'up')
  })
})

describe('the page when npm start has ended', () => {
  it('says so, and that the Worker cannot be reached', async () => {
    const child = runScript('start/main', ['--count', '3', ...(await ownPort())])
    const output = await printed(child, 'Ctrl-C')
    const page = await browser.newPage()
    await page.goto(/runs on workerd: (\S+)/.exec(output)![1]!)
    await page.locator('#nodes li').nth(2).waitFor()
    child.kill('SIGTERM')
    await child
    await page.getByText('npm start has ended').waitFor()
    await page.getByRole('button', { name: 'Hand in' }).click()
    await page.getByText('The Worker cannot be reached').waitFor()
    expect(await page.locator('#nodes li').count()).toBe(0)
    await page.close()
  })
})
