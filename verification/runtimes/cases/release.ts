import { equal } from 'node:assert/strict'
import type { Case } from '../case.ts'

/** The lock is released no matter how a request ends. */
export const releaseCases: readonly Case[] = [
  {
    name: 'the normal end',
    run: async ({ app, key, noneLeft }) => {
      const response = await app.call(`/run/${key}`)
      equal(await response.text(), 'true')
      await noneLeft()
    },
  },
  {
    name: 'releaseAfter: response',
    run: async ({ app, key, noneLeft }) => {
      const response = await app.call(`/run/${key}?release=response`)
      equal(await response.text(), 'true')
      await noneLeft()
    },
  },
  {
    name: 'an early return',
    run: async ({ app, key, noneLeft }) => {
      equal(await (await app.call(`/early/${key}`)).text(), 'early')
      await noneLeft()
    },
  },
  {
    name: 'an Error is thrown',
    run: async ({ app, key, noneLeft }) => {
      equal((await app.call(`/error/${key}`)).status, 500)
      await noneLeft()
    },
  },
  {
    name: 'something else is thrown',
    run: async ({ app, key, noneLeft }) => {
      // Any response to that is up to the platform.
      await app.call(`/string/${key}`).then(
        (response) => response.text(),
        () => '',
      )
      await noneLeft()
    },
  },
  {
    name: 'HEAD',
    run: async ({ app, key, noneLeft }) => {
      equal((await app.call(`/stream/${key}?count=3`, { method: 'HEAD' })).status, 200)
      await noneLeft()
    },
  },
  ...[204, 304].map((status): Case => ({
    name: `status ${status}`,
    run: async ({ app, key, noneLeft }) => {
      equal((await app.call(`/status/${key}?status=${status}`)).status, status)
      await noneLeft()
    },
  })),
  {
    name: 'no route',
    run: async ({ app, key, noneLeft }) => {
      equal((await app.call(`/nothing/${key}`)).status, 404)
      await noneLeft()
    },
  },
  {
    name: 'another response replaces the first',
    needs: 'fetch',
    run: async ({ app, key, noneLeft }) => {
      equal(await (await app.call(`/replaced/${key}`)).text(), 'replaced')
      await noneLeft()
    },
  },
  {
    name: 'the same, with a long body',
    needs: 'fetch',
    run: async ({ app, key, noneLeft }) => {
      // A body that is not read within the TTL counts as dropped.
      equal(await (await app.call(`/replaced/${key}?long=1&ttl=1000`)).text(), 'replaced')
      await noneLeft(4000)
    },
  },
  {
    name: 'nested locks of one key',
    run: async ({ app, key, noneLeft }) => {
      equal(await (await app.call(`/nested/${key}`)).text(), 'true')
      await noneLeft()
    },
  },
  {
    name: 'a function without a framework',
    needs: 'fetch',
    run: async ({ app, key, noneLeft }) => {
      equal(await (await app.call(`/fetch-lock/${key}`)).text(), 'true')
      await noneLeft()
    },
  },
  {
    name: 'the same, which throws',
    needs: 'fetch',
    run: async ({ app, key, noneLeft }) => {
      equal((await app.call(`/fetch-error/${key}`)).status, 500)
      await noneLeft()
    },
  },
]
