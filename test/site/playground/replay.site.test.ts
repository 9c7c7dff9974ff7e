import { describe, expect, it } from 'vitest'
import { scenarios } from '../../../docs/playground/scenarios/all.ts'
import { countsOf, press, shownRun, toEnd } from './page.ts'
import { useBrowser } from './use-browser.ts'

const open = useBrowser()

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
