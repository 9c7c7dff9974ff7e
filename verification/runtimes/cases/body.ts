import { equal, ok } from 'node:assert/strict'
import type { Case } from '../case.ts'

/** The lock is held until the body has ended. */
export const bodyCases: readonly Case[] = [
  {
    name: 'a stream: the lock is held to its end',
    needs: 'stream',
    run: async ({ app, key, holders, noneLeft }) => {
      const response = await app.call(`/stream/${key}?count=20&every=20`)
      const reader = response.body!.getReader()
      await reader.read()
      ok((await holders()) >= 3)
      while (!(await reader.read()).done);
      await noneLeft()
    },
  },
  {
    name: 'a stream that lasts longer than the ttl',
    run: async ({ app, key, redlock, noneLeft }) => {
      const reading = app
        .call(`/stream/${key}?count=60&every=20&ttl=400`)
        .then((response) => response.arrayBuffer())
      let isRead = false
      reading.then(
        () => (isRead = true),
        () => (isRead = true),
      )
      // By now, the first TTL has long since passed.
      await new Promise((resolve) => setTimeout(resolve, 800))
      const result = await redlock.tryAcquire(key)
      equal(isRead, false)
      equal(result.ok, false)
      equal((await reading).byteLength, 6000)
      await noneLeft()
    },
  },
  {
    name: 'a stream of Hono',
    needs: 'fetch',
    run: async ({ app, key, noneLeft }) => {
      equal(await (await app.call(`/helper/${key}`)).text(), 'piecepiecepiece')
      await noneLeft()
    },
  },
  {
    name: 'a stream whose source fails',
    run: async ({ app, key, noneLeft }) => {
      await app.call(`/broken/${key}`).then(
        (response) => response.text().catch(() => ''),
        () => '',
      )
      await noneLeft()
    },
  },
  {
    name: 'a stream of a function without a framework',
    needs: 'fetch',
    run: async ({ app, key, noneLeft }) => {
      equal((await (await app.call(`/fetch-lock/${key}?count=5`)).text()).length, 500)
      await noneLeft()
    },
  },
  {
    name: '101: the lock is released at once',
    needs: 'upgrade',
    run: async ({ app, key, noneLeft }) => {
      const socket = new WebSocket(`${app.url.replace('http', 'ws')}/upgrade/${key}`)
      await new Promise((resolve, reject) => {
        socket.addEventListener('open', resolve)
        socket.addEventListener('error', reject)
      })
      await noneLeft()
      socket.close()
    },
  },
]
