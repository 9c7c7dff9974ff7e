import { describe, expect, it } from 'vitest'
import { scenarios } from '../../../docs/playground/scenarios/all.ts'
import { countsOf, isShown, press, toEnd } from './page.ts'
import { useBrowser } from './use-browser.ts'

const open = useBrowser()

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

  it('reads the sentences out only after the visitor has done something', async () => {
    const page = await open('')
    const live = page.locator('.pg-sentence')
    expect(await live.getAttribute('aria-live')).toBe('off')
    await press(page, 'Step')
    expect(await live.getAttribute('aria-live')).toBe('polite')
  })
})
