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
let heard: string
let told: string

/** A node that answers each word with the same word, and a client that talks to it over a link. */
const start = async (): Promise<void> => {
  heard = ''
  told = ''
  server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      heard += bytes.toString()
      socket.write(bytes)
    })
  })
  link = makeLink(await listening(server), randomFrom(1))
  client = connect(await listening(link.server), '127.0.0.1')
  client.on('error', () => {})
  client.on('data', (bytes) => (told += bytes.toString()))
  await once(client, 'connect')
}

const isTold = (text: string): Promise<void> => until(() => told === text, 5000, text)

afterEach(() => {
  client.destroy()
  link.server.close()
  server.close()
})

describe('a link', () => {
  it('carries both ways, and late while there is a delay', async () => {
    await start()
    client.write('a')
    await isTold('a')
    link.set({ kind: 'delay', amount: 60 })
    const begin = performance.now()
    client.write('b')
    await isTold('ab')
    expect(performance.now() - begin).toBeGreaterThanOrEqual(119)
    link.set()
  })

  it('keeps the order of what is lost and sent again', async () => {
    await start()
    link.set({ kind: 'loss', amount: 0.5 })
    const words = 'abcdefgh'
    for (const letter of words) {
      client.write(letter)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    link.set()
    await isTold(words)
    expect(heard).toBe(words)
  })

  it('delivers after a partition what was sent in it, even of who has gone', async () => {
    await start()
    client.write('a')
    await isTold('a')
    link.set({ kind: 'partition', amount: 1 })
    client.write('b')
    client.destroy()
    await once(client, 'close')
    expect(heard).toBe('a')
    link.set()
    await until(() => heard === 'ab', 5000)
  })

  it('holds the replies only', async () => {
    await start()
    link.set({ kind: 'replies held', amount: 1 })
    client.write('a')
    await until(() => heard === 'a', 5000)
    expect(told).toBe('')
    link.set()
    await isTold('a')
  })

  it('resets connections, and refuses new ones', async () => {
    await start()
    client.write('a')
    await isTold('a')
    link.set({ kind: 'connections reset', amount: 1 })
    await until(() => client.destroyed, 5000)
    const { port } = link.server.address() as { port: number }
    const again = connect(port, '127.0.0.1')
    const [error] = (await once(again, 'error')) as [NodeJS.ErrnoException]
    expect(error.code).toBe('ECONNRESET')
  })
})
