import { equal, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Case, Tools } from '../case.ts'
import { until } from '../until.ts'

/** Sends a request on a connection of its own, which can be reset under it. */
const request = async ({ app }: Tools, path: string): Promise<Socket> => {
  const { hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.on('error', () => {})
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`)
  return socket
}

const goneInTheMiddle = (name: string, path: string): Case => ({
  name,
  needs: 'connection',
  run: async (tools) => {
    const { key, holders, noneLeft, noted } = tools
    const socket = await request(tools, `/${path}/${key}?ms=600`)
    await until(async () => (await holders()) === 5, 5000, 'the lock was not taken')
    socket.resetAndDestroy()
    // The handler goes on to its end, and has the lock until then.
    equal(await noted('ran'), 'true')
    await noneLeft()
  },
})

/** The client goes. */
export const disconnectCases: readonly Case[] = [
  goneInTheMiddle('the client goes while the handler runs', 'run'),
  goneInTheMiddle('the same, without a framework', 'fetch-lock'),
  {
    name: 'the client goes while a stream is sent',
    needs: 'connection',
    run: async (tools) => {
      const { key, holders, noneLeft } = tools
      const socket = await request(tools, `/endless/${key}?every=5`)
      await once(socket, 'data')
      ok((await holders()) >= 3)
      socket.resetAndDestroy()
      await noneLeft()
    },
  },
  {
    name: 'the client stops reading, then goes',
    needs: 'connection',
    run: async (tools) => {
      const { key, holders, noneLeft } = tools
      const socket = await request(tools, `/endless/${key}`)
      await once(socket, 'data')
      socket.pause()
      ok((await holders()) >= 3)
      socket.resetAndDestroy()
      await noneLeft()
    },
  },
  {
    name: 'the client goes before a long stream begins',
    needs: 'connection',
    run: async (tools) => {
      const { key, holders, noneLeft } = tools
      // Nobody will read the body, and it is taken as dropped after its ttl; or, on workerd, it is
      // read to its end all the same, and has the lock until then.
      const socket = await request(tools, `/stream/${key}?count=1500&every=1&ttl=1000`)
      await until(async () => (await holders()) === 5, 5000, 'the lock was not taken')
      socket.resetAndDestroy()
      await noneLeft(5000)
    },
  },
]
