import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { errorsOf, launchBrowser, violationsOf } from '../support/browser.ts'
import { freshKey } from '../support/nodes.ts'
import { ownPort, printed, runScript } from '../tools/processes.ts'

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()))
afterAll(() => browser.close())

describe.each([
  ['real servers', {}],
  ['the embedded engine', { PATH: '/nonexistent' }],
])('the page that hands in once, over %s', (_, env) => {
  let child: ReturnType<typeof runScript>
  let url: string
  let page: Page
  let errors: string[]
  beforeAll(async () => {
    child = runScript('start/main', await ownPort(), env)
    url = /runs on workerd: (\S+)/.exec(await printed(child, 'Ctrl-C'))![1]!
  })
  afterAll(async () => {
    child.kill('SIGTERM')
    await child
  })
  beforeEach(async () => {
    page = await browser.newPage()
    errors = errorsOf(page)
    await page.goto(url)
    await page.locator('#nodes li').nth(4).waitFor()
    await page.getByLabel('User').fill(freshKey())
  })
  afterEach(() => page.close())

  /** The sentences of the answers to these clicks. */
  const answersTo = async (...clicks: number[]): Promise<string[]> =>
    Promise.all(
      clicks.map(async (click) => {
        const answer = page.locator('#answers li').filter({ hasText: `Click ${click}.` })
        const status = await answer.locator('strong').textContent()
        const text = await answer.locator('small').textContent()
        return `${status} ${text!.replace(`Click ${click}. `, '')}`
      }),
    )
  const receiptOf = (answer: string): string =>
    /^201 Created Receipt ([0-9a-f]{8})/.exec(answer)![1]!

  it('gives both clicks of a double click one receipt, and a later click as well', async () => {
    await page.getByRole('button', { name: 'Hand in' }).dblclick()
    const both = await answersTo(1, 2)
    expect(new Set(both.map(receiptOf)).size).toBe(1)
    expect(both.filter((answer) => answer.endsWith('the stored response.'))).toHaveLength(1)
    await page.locator('#nodes li').first().getByText('stored response').first().waitFor()
    await page.getByRole('button', { name: 'Hand in' }).click()
    expect(await answersTo(3)).toEqual([
      `201 Created Receipt ${receiptOf(both[0]!)}, the stored response.`,
    ])
    expect(errors).toEqual([])
  })

  it('rejects another text under the same key, and takes it with a new form', async () => {
    await page.getByRole('button', { name: 'Hand in' }).click()
    const [first] = await answersTo(1)
    await page.getByLabel('Text').fill('Another essay')
    await page.getByRole('button', { name: 'Hand in' }).click()
    expect((await answersTo(2))[0]).toMatch(/^422 /)
    await page.getByRole('button', { name: 'New form' }).click()
    await page.getByRole('button', { name: 'Hand in' }).click()
    const [third] = await answersTo(3)
    expect(receiptOf(third!)).not.toBe(receiptOf(first!))
  })

  it('names the product, shows the votes, and leads to the line that protects it', async () => {
    expect(await page.title()).toBe('edge-redlock: hand in an assignment')
    await page.getByRole('button', { name: 'Hand in' }).click()
    await page.locator('#answers .votes [data-vote="granted"]').nth(2).waitFor()
    await page.getByRole('link', { name: /^hand-in\.ts, line \d+$/ }).click()
    expect(await page.locator('mark').innerText()).toContain('idempotent({')
    expect(await violationsOf(page)).toEqual([])
  })

  it('shows the line of each other page', async () => {
    for (const [name, call] of [
      ['Submit', 'throttle({'],
      ['Report', 'once('],
    ] as const) {
      await page.goto(url)
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('link', { name: /\.ts, line \d+$/ }).click()
      expect(await page.locator('mark').innerText()).toContain(call)
    }
  })

  it('is accessible, in the light and in the dark', async () => {
    await page.getByRole('button', { name: 'Hand in' }).dblclick()
    await answersTo(1, 2)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await violationsOf(page)).toEqual([])
    }
  })
})
