import { glob, readFile } from 'node:fs/promises'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { openPage } from './open-page.ts'
import { obstaclesOn } from './readable.ts'

// The evidence is on the site: its figures, its pictures, and every file to which a page links.

// TypeScript does not follow this import: the packages that draw charts are dependencies of the site alone.
const chartSource = new URL('../../docs/.vitepress/charts.ts', import.meta.url).href
const { makeCharts } = (await import(chartSource)) as {
  readonly makeCharts: () => Promise<Readonly<Record<string, { readonly alt: string }>>>
}

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser?.close())

const textOf = async (path: string): Promise<string> =>
  (await fetch(inject('SITE_URL') + path)).text()

const readJson = async <T>(report: string): Promise<T> =>
  JSON.parse(await readFile(`verification/reports/${report}.json`, 'utf8')) as T

it('the page of the apps has the results of each framework', async () => {
  type Row = { fault: string; passed: number; rounds: number }
  const results = await readJson<{ title: string; versions: string; rows: Row[] }[]>('apps')
  const page = await textOf('/reports/apps.html')
  const rows = results.flatMap((result) => result.rows)
  const passed = rows.filter((row) => row.passed === row.rounds)
  expect(page).toContain(`<strong>${passed.length} of ${rows.length}</strong>`)
  for (const { title, versions, rows: own } of results) {
    const well = own.filter(({ fault }) => fault === 'none').length
    expect(page).toMatch(
      new RegExp(`<td>${title}</td>\\s*<td>${versions}</td>.*${well} of ${well}`),
    )
  }
})

it('the page of chaos has the figures of its run', async () => {
  type Run = { operations: number; faults: Record<string, number>; violations: unknown[] }
  const { operations, faults, violations } = await readJson<Run>('chaos')
  const count = Object.values(faults).reduce((sum, one) => sum + one, 0)
  expect(await textOf('/reports/chaos.html')).toContain(
    `${violations.length} violations in ${operations.toLocaleString('en')} operations under ${count} faults`,
  )
})

it('the page of benchmarks has each burst', async () => {
  type Burst = { contestant: string; size: number; bursts: number; toWinner: number }
  const { result } = await readJson<{ result: { bursts: Burst[] } }>('benchmarks/contention')
  const page = await textOf('/reports/benchmarks.html')
  for (const { contestant, size, bursts, toWinner } of result.bursts) {
    const cells = [
      contestant,
      size,
      'all well',
      bursts,
      '[\\d.]+ %',
      '[\\d.]+ %',
      toWinner.toFixed(1),
    ]
    expect(page).toMatch(new RegExp(cells.map((cell) => `<td[^>]*>${cell}</td>`).join('\\s*')))
  }
})

const charts = {
  winners: '/reports/benchmarks.html',
  'time-to-winner': '/reports/benchmarks.html',
  'sick-node': '/reports/benchmarks.html',
  behaviors: '/reports/comparison.html',
  requests: '/reports/idempotency-comparison.html',
  faults: '/reports/chaos.html',
}

describe.each([
  { viewport: { width: 1280, height: 900 }, colorScheme: 'light' as const },
  { viewport: { width: 390, height: 844 }, colorScheme: 'dark' as const },
])('$viewport.width pixels, $colorScheme', (options: BrowserContextOptions) => {
  it.each(Object.entries(charts))(
    'the picture %s is drawn, and says its figures',
    async (name, path) => {
      const { page, problems } = await openPage(browser, path, options)
      const image = page.locator(`.chart img[src*="/${name}-"]`)
      await image.scrollIntoViewIfNeeded()
      await expect
        .poll(() => image.evaluate((one: HTMLImageElement) => one.complete && one.naturalWidth))
        .toBeGreaterThan(300)
      expect(await image.getAttribute('alt')).toBe((await makeCharts())[name]!.alt)
      const { width } = (await image.boundingBox())!
      expect(width).toBeLessThanOrEqual(options.viewport!.width)
      expect(problems).toEqual([])
      await page.context().close()
    },
  )

  it.each(['/reports/comparison.html', '/reports/chaos.html', '/reports/apps.html'])(
    '%s has no violation of axe-core, and nothing wider than the screen',
    async (path) => {
      expect(await obstaclesOn(browser, path, options)).toEqual([])
    },
  )
})

it('no link of a page ends as text', async () => {
  const exclude = (name: string): boolean =>
    /^docs\/(?:node_modules|\.vitepress|api|reports|repository)\b/.test(name)
  const pages: string[] = []
  for await (const page of glob('docs/**/*.md', { exclude })) pages.push(page)
  expect(pages.length).toBeGreaterThan(20)
  const counted = await Promise.all(
    pages.map(async (page) => {
      const markdown = (await readFile(page, 'utf8')).replaceAll(/^```.*?^```$/gms, '')
      const written = [...markdown.matchAll(/(?<!!)\[[^\]]*\]\((?!#)/g)].length
      const path = page.replace(/^docs/, '').replace(/\.md$/, '.html')
      const html = /<main[^]*<\/main>|class="VPHome"[^]*/.exec(await textOf(path))![0]
      const content = /<div[^>]*class="vp-doc[^]*/.exec(html)![0].replace(/<footer[^]*/, '')
      const links = [...content.matchAll(/<a (?![^>]*header-anchor)[^>]*href="(?!#)/g)].length
      return { page, written, links }
    }),
  )
  expect(counted.filter(({ written, links }) => written !== links)).toEqual([])
})

it('a page shows a file of the repository, and the files to which that links', async () => {
  const example = await textOf('/repository/examples/oauth-token/README.html')
  expect(example).toMatch(/<a href="[^"]*tokens\.ts\.html"/)
  const source = await textOf('/repository/examples/oauth-token/tokens.ts.html')
  expect(source).toContain('examples/oauth-token/tokens.ts')
  expect(source).toContain('shiki')
})
