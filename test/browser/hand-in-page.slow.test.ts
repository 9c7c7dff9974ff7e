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
    await page.getByRole('link', { name: 'Hand in' }).click()
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
  const receiptOf = (answer: string): string => /^201 Receipt ([0-9a-f]{8})/.exec(answer)![1]!

  it('gives both clicks of a double click one receipt, and a later click as well', async () => {
    await page.getByRole('button', { name: 'Hand in' }).dblclick()
    const both = await answersTo(1, 2)
    expect(new Set(both.map(receiptOf)).size).toBe(1)
    expect(both.filter((answer) => answer.endsWith('the recorded answer.'))).toHaveLength(1)
    await page.locator('#nodes li').first().getByText('answer of request').first().waitFor()
    await page.getByRole('button', { name: 'Hand in' }).click()
    expect(await answersTo(3)).toEqual([`201 Receipt ${receiptOf(both[0]!)}, the recorded answer.`])
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

  it('is accessible, in the light and in the dark', async () => {
    await page.getByRole('button', { name: 'Hand in' }).dblclick()
    await answersTo(1, 2)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await violationsOf(page)).toEqual([])
    }
  })
})
