import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { listening } from '../../tools/cli/listening.ts'
import { until } from '../../tools/cli/until.ts'
import { randomFrom } from '../../tools/random.ts'
import { type Link, makeLink } from '../../verification/chaos/nodes/link.ts'

let server: Server
let link: Link
let client: Socket
let received: string
let replies: string

/** Starts a node that echoes all bytes, and a client that is connected to it by a link. */
const start = async (distance?: number): Promise<void> => {
  received = ''
  replies = ''
  server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      received += bytes.toString()
      socket.write(bytes)
    })
  })
  link = makeLink(await listening(server), randomFrom(1), distance)
  client = connect(await listening(link.server), '127.0.0.1')
  client.on('error', () => {})
  client.on('data', (bytes) => (replies += bytes.toString()))
  await once(client, 'connect')
}

const hasReplied = (text: string): Promise<void> => until(() => replies === text, 5000, text)

afterEach(() => {
  client.destroy()
  link.server.close()
  server.close()
})

describe('a link', () => {
  it('carries bytes both ways, and late during a delay', async () => {
    await start()
    client.write('a')
    await hasReplied('a')
    link.set({ kind: 'delay', amount: 60 })
    const begin = performance.now()
    client.write('b')
    await hasReplied('ab')
    expect(performance.now() - begin).toBeGreaterThanOrEqual(119)
    link.set()
  })

  it('may be a long one', async () => {
    await start(40)
    const begin = performance.now()
    client.write('a')
    await hasReplied('a')
    expect(performance.now() - begin).toBeGreaterThanOrEqual(79)
    link.set({ kind: 'delay', amount: 30 })
    client.write('b')
    await hasReplied('ab')
    expect(performance.now() - begin).toBeGreaterThanOrEqual(79 + 139)
  })

  it('keeps the order of bytes that are lost and retransmitted', async () => {
    await start()
    link.set({ kind: 'loss', amount: 0.5 })
    const words = 'abcdefgh'
    for (const letter of words) {
      client.write(letter)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    link.set()
    await hasReplied(words)
    expect(received).toBe(words)
  })

  it('delivers after a partition what was sent during it, even by a client that has gone', async () => {
    await start()
    client.write('a')
    await hasReplied('a')
    link.set({ kind: 'partition', amount: 1 })
    client.write('b')
    client.destroy()
    await once(client, 'close')
    expect(received).toBe('a')
    link.set()
    await until(() => received === 'ab', 5000)
  })

  it('holds back replies only', async () => {
    await start()
    link.set({ kind: 'replies held', amount: 1 })
    client.write('a')
    await until(() => received === 'a', 5000)
    expect(replies).toBe('')
    link.set()
    await hasReplied('a')
  })

  it('resets connections, and refuses new ones', async () => {
    await start()
    client.write('a')
    await hasReplied('a')
    link.set({ kind: 'connections reset', amount: 1 })
    await until(() => client.destroyed, 5000)
    const { port } = link.server.address() as { port: number }
    const again = connect(port, '127.0.0.1')
    const [error] = (await once(again, 'error')) as [NodeJS.ErrnoException]
    expect(error.code).toBe('ECONNRESET')
  })
})
