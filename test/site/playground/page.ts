import type { Locator, Page } from 'playwright-core'

/** The numbers of the counters. */
export const countsOf = (page: Page): Promise<Record<string, number>> =>
  page.$$eval('[data-count]', (elements) =>
    Object.fromEntries(
      elements.map((element) => [element.getAttribute('data-count'), Number(element.textContent)]),
    ),
  )

/** Waits until the page shows the run of its url. */
export const isShown = async (page: Page): Promise<void> => {
  await page.waitForFunction(() => {
    const shown = document.querySelector('.pg')?.getAttribute('data-run')
    return location.search === `?${shown}`
  })
}

/** Shows the end of the run. */
export const toEnd = async (page: Page): Promise<void> => {
  await isShown(page)
  await page.getByLabel('Time', { exact: true }).press('End')
  await page.waitForFunction(() => {
    const { value, max } = document.querySelector<HTMLInputElement>('.pg-seek')!
    return Number(max) - Number(value) < 0.001
  })
}

/** Presses a button of the page, and waits until the page shows the run of its url. */
export const press = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('button', { name, exact: true }).click()
  await isShown(page)
}

/** Shows the beginning of the run. */
export const toStart = (page: Page): Promise<void> => press(page, 'Start')

// The longest run has fewer steps.
const maxPresses = 200

/** Goes on step by step, until the text of a part of the page matches the pattern. */
export const stepUntil = async (page: Page, part: Locator, pattern: RegExp): Promise<void> => {
  let text = await part.innerText()
  for (let presses = 0; !pattern.test(text); presses++) {
    if (presses === maxPresses) {
      throw new Error(`no match for ${pattern} after ${presses} steps; the last text is: ${text}`)
    }
    await press(page, 'Step')
    text = await part.innerText()
  }
}

/** All that the page tells of a run at its end: the timeline, the steps and the table of requests, in lines. */
export const shownRun = async (page: Page): Promise<readonly string[]> => {
  await toEnd(page)
  const [timeline, steps, requests] = ['.pg-timeline > svg', '.pg-steps', '.pg-requests table'].map(
    (selector) => page.locator(selector).innerHTML(),
  )
  return [await timeline!, await steps!, await requests!].flatMap((html) =>
    html.split(/(?<=>)(?=<)/),
  )
}

/** The sentences of the run so far. */
export const stepsOf = (page: Page): Promise<string> => page.locator('.pg-steps').innerText()

/** The client that got the lock first, as the page says. */
export const winnerOf = async (page: Page): Promise<string | undefined> =>
  /Client \d+ holds the lock/.exec(await stepsOf(page))?.[0]
