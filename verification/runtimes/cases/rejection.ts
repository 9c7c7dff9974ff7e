import { equal, match } from 'node:assert/strict'
import type { Case } from '../case.ts'

/** Rejected requests, and their responses. */
export const rejectionCases: readonly Case[] = [
  {
    name: 'five simultaneous requests: one passes',
    run: async ({ app, key }) => {
      const burst = await Promise.all(Array.from({ length: 5 }, () => app.call(`/throttle/${key}`)))
      await Promise.all(burst.map((response) => response.text()))
      const count = (wanted: number): number =>
        burst.filter(({ status }) => status === wanted).length
      equal(count(200), 1)
      equal(count(429), 4)
    },
  },
  {
    name: '409 for a lock that is held',
    run: async ({ app, key, redlock }) => {
      const lock = await redlock.acquire(key, { ttl: 20_000 })
      const response = await app.call(`/run/${key}`)
      equal(response.status, 409)
      match(response.headers.get('content-type')!, /^application\/problem\+json/)
      // Most holders end long before their TTL.
      equal(response.headers.get('retry-after'), '1')
      equal((await response.json()).status, 409)
      await lock.release()
    },
  },
  {
    name: 'a wait that ends with the release of the lock',
    run: async ({ app, key, redlock, noneLeft }) => {
      const lock = await redlock.acquire(key, { ttl: 20_000 })
      const [text] = await Promise.all([
        app.call(`/run/${key}?wait=10000`).then((response) => response.text()),
        new Promise((resolve) => setTimeout(resolve, 100)).then(() => lock.release()),
      ])
      equal(text, 'true')
      await noneLeft()
    },
  },
  {
    name: '429, with the limit in headers',
    run: async ({ app, key }) => {
      const passed = await app.call(`/throttle/${key}`)
      equal(passed.headers.get('ratelimit'), '"throttle";r=0;t=20')
      equal(await passed.text(), 'passed')
      const rejected = await app.call(`/throttle/${key}`)
      equal(rejected.status, 429)
      equal(rejected.headers.get('ratelimit-policy'), '"throttle";q=1;w=20')
      await rejected.text()
    },
  },
  {
    name: 'the same window, without a framework',
    needs: 'fetch',
    run: async ({ app, key }) => {
      equal(await (await app.call(`/throttle/${key}`)).text(), 'passed')
      const elsewhere = await app.call(`/fetch-throttle/${key}`)
      equal(elsewhere.status, 429)
      await elsewhere.text()
    },
  },
  {
    name: 'a pass that does not count',
    run: async ({ app, key }) => {
      equal((await app.call(`/throttle-keep/${key}?status=422`)).status, 422)
      equal((await app.call(`/throttle-keep/${key}?status=200`)).status, 200)
      equal((await app.call(`/throttle-keep/${key}?status=200`)).status, 429)
    },
  },
  {
    name: '503 if no node can be reached',
    run: async ({ app, key }) => {
      const response = await app.call(`/unavailable/${key}`)
      equal(response.status, 503)
      equal(response.headers.get('retry-after'), '1')
    },
  },
  {
    name: 'failOpen lets the request pass without a lock',
    run: async ({ app, key }) => {
      equal(await (await app.call(`/open/${key}`)).text(), 'no lock')
    },
  },
]
