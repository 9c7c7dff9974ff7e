import { equal, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { until } from '../../../tools/cli/until.ts'
import type { Case, CaseContext, Trait } from '../case.ts'

/** Sends a request on a new connection, which the case can reset. */
const request = async ({ app }: CaseContext, path: string): Promise<Socket> => {
  const { hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.on('error', () => {})
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`)
  return socket
}

const goneInTheMiddle = (name: string, path: string, ...needs: Trait[]): Case => ({
  name,
  needs: ['connection', ...needs],
  run: async (context) => {
    const { key, holders, noneLeft, noted } = context
    const socket = await request(context, `/${path}/${key}?ms=600`)
    await until(async () => (await holders()) === 5, 5000, 'the lock was not taken')
    socket.resetAndDestroy()
    // The handler runs to completion, and the lock is held until then.
    equal(await noted('ran'), 'true')
    await noneLeft()
  },
})

/** The client disconnects. */
export const disconnectCases: readonly Case[] = [
  goneInTheMiddle('the client disconnects while the handler runs', 'run'),
  goneInTheMiddle('the same, without a framework', 'fetch-lock', 'fetch'),
  {
    name: 'the client disconnects while a stream is sent',
    needs: 'connection',
    run: async (context) => {
      const { key, holders, noneLeft } = context
      const socket = await request(context, `/endless/${key}?every=5`)
      await once(socket, 'data')
      ok((await holders()) >= 3)
      socket.resetAndDestroy()
      await noneLeft()
    },
  },
  {
    name: 'the client stops reading, then disconnects',
    needs: 'connection',
    run: async (context) => {
      const { key, holders, noneLeft } = context
      const socket = await request(context, `/endless/${key}`)
      await once(socket, 'data')
      socket.pause()
      ok((await holders()) >= 3)
      socket.resetAndDestroy()
      await noneLeft()
    },
  },
  {
    name: 'one of two waiting clients disconnects: the other gets the lock',
    needs: 'connection',
    run: async (context) => {
      const { app, key, redlock, noneLeft } = context
      const lock = await redlock.acquire(key, { ttl: 20_000 })
      const socket = await request(context, `/run/${key}?wait=10000`)
      const [text] = await Promise.all([
        app.call(`/run/${key}?wait=10000`).then((response) => response.text()),
        new Promise((resolve) => setTimeout(resolve, 100)).then(async () => {
          socket.resetAndDestroy()
          return lock.release()
        }),
      ])
      equal(text, 'true')
      // workerd does not report the disconnect, so the first request still gets the lock afterwards.
      await noneLeft(12_000)
    },
  },
  {
    name: 'the client disconnects before a long stream begins',
    needs: 'connection',
    run: async (context) => {
      const { key, holders, noneLeft } = context
      // The body is never read and counts as dropped after its TTL. But workerd reads it to the end anyway, and the
      // lock is held until then.
      const socket = await request(context, `/stream/${key}?count=1500&every=1&ttl=1000`)
      await until(async () => (await holders()) === 5, 5000, 'the lock was not taken')
      socket.resetAndDestroy()
      await noneLeft(5000)
    },
  },
]
