import { describe, expect, it } from 'vitest'
import { scenarios } from '../../../docs/playground/scenarios/all.ts'
import { violationsOf } from '../../support/browser.ts'
import { toEnd } from './page.ts'
import { useBrowser } from './use-browser.ts'

const open = useBrowser()

describe('for everybody', () => {
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
})
