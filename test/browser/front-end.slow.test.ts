import { readFile } from 'node:fs/promises'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { throttle } from '../../src/entries/hono.ts'
import { idempotent } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { launchBrowser, violationsOf } from '../support/browser.ts'
import { downNode } from '../support/down-node.ts'
import { eventually } from '../support/eventually.ts'
import { serveHttp } from '../support/http-server.ts'
import { freshKey } from '../support/nodes.ts'
import { realNodes as nodes } from '../support/real-nodes.ts'
import { later } from '../support/signals.ts'

// The page of docs/recipes/front-end.md in Chromium, before an app over five real servers.

let browser: Browser
let html: string
beforeAll(async () => {
  browser = await launchBrowser()
  const markdown = await readFile('docs/recipes/front-end.md', 'utf8')
  html = /^```html \[order\.html\]\n(.*?)^```$/ms.exec(markdown)![1]!
})
afterAll(() => browser.close())

const up = new Redlock({ nodes })
const down = new Redlock({ nodes: ['a', 'b', 'c'].map((name) => downNode(name)) })

/** A page of its own, with the orders that its server has made and the statuses that it has sent. */
const open = async ({ wait = async () => {}, window = 0, redlock = () => up } = {}) => {
  const user = freshKey()
  const orders: string[] = []
  const statuses: number[] = []
  const app = new Hono()
  app.get('/', (c) => c.html(html))
  app.use('/orders', async (c, next) => {
    await next()
    statuses.push(c.res.status)
  })
  if (window) app.use('/orders', throttle({ redlock: up, key: `orders ${user}`, window }))
  app.post('/orders', idempotent({ redlock, scope: () => user }), async (c) => {
    orders.push((await c.req.parseBody<{ item: string }>()).item)
    await wait()
    return c.json({ order: orders.length }, 201)
  })
  const { url } = await serveHttp(getRequestListener(app.fetch))
  const page = await browser.newPage()
  await page.goto(url)
  return { page, orders, statuses }
}

const press = (page: Page): Promise<void> => page.getByRole('button', { name: 'Order' }).click()
const shows = (page: Page, text: string): Promise<void> =>
  eventually(async () => expect(await page.getByRole('status').textContent()).toBe(text))
/** Drops the responses to orders after the server has made them. */
const loseResponses = (page: Page, times: number): Promise<unknown> =>
  page.route(
    '**/orders',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times },
  )

it('orders once if the form is sent twice, and waits for the first request', async () => {
  const { promise: goOn, resolve: finish } = later()
  const { page, orders, statuses } = await open({ wait: () => goOn })
  await page.evaluate(() => {
    const form = document.querySelector('form')!
    form.requestSubmit()
    form.requestSubmit()
  })
  await eventually(() => expect(statuses).toContain(409))
  finish()
  await eventually(() => expect(statuses.filter((status) => status === 201)).toHaveLength(2))
  await shows(page, 'Order 1')
  expect(orders).toEqual(['book'])
})

it('repeats an order whose response was lost', async () => {
  const { page, orders } = await open()
  await loseResponses(page, 2)
  await press(page)
  await shows(page, 'Order 1')
  expect(orders).toEqual(['book'])
})

it('rejects a changed order with 422, if the first one may have arrived', async () => {
  const { page, orders, statuses } = await open()
  await loseResponses(page, 5)
  await press(page)
  await shows(page, 'No connection. Press Order again: it counts once.')
  await page.getByLabel('Item').fill('pen')
  await press(page)
  await shows(page, 'Another order was sent before. Reload the page for a new one.')
  expect(statuses.at(-1)).toBe(422)
  expect(orders).toEqual(['book'])
})

it('shows a long 429 instead of waiting for it', async () => {
  const { page, orders, statuses } = await open({ window: 60_000 })
  await loseResponses(page, 1)
  await press(page)
  await shows(page, 'Too many orders. Please press Order again later.')
  expect(statuses).toEqual([201, 429])
  expect(orders).toEqual(['book'])
})

it('orders after an outage, and says so if it lasts', async () => {
  let redlock = down
  const { page, orders, statuses } = await open({ redlock: () => redlock })
  await press(page)
  await shows(page, 'We cannot confirm orders at the moment. Please press Order again later.')
  expect(statuses).toEqual([503, 503, 503, 503, 503])
  redlock = up
  await press(page)
  await shows(page, 'Order 1')
  expect(orders).toEqual(['book'])
})

it('is accessible', async () => {
  const { page } = await open()
  await press(page)
  await shows(page, 'Order 1')
  expect(await violationsOf(page)).toEqual([])
})
