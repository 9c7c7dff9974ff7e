import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { writeReply } from '../../src/protocol/reply.ts'

/** The words of a request, and the bytes that answer it rightly. */
export type Request = { readonly words: readonly string[]; readonly right: string }

/** What a server does with the connection on which a request came. */
export type Trick = (socket: Socket, request: Request) => unknown

export type RawServer = {
  readonly url: string
  /** How many requests came, and how many bytes were written to one connection at most. */
  readonly requests: () => number
  readonly mostWritten: () => number
  /** How many connections are open on which a request came: clients keep some in reserve. */
  readonly connections: () => number
  readonly close: () => Promise<void>
}

/** The right answer of a node that has granted whatever it is asked for. */
const rightTo = (words: readonly string[]): string => {
  const [operation, owner] = words.slice(3 + Number(words[2]))
  const echo = `${operation}${owner}`
  const result = writeReply({ echo, status: 'granted', left: -1, holder: '', counter: 7 })
  return JSON.stringify({ result })
}

/** A server that speaks HTTP by hand, to break its rules. Each request comes on its connection. */
export const startRaw = async (trick: Trick): Promise<RawServer> => {
  const sockets = new Set<Socket>()
  const used = new Set<Socket>()
  let [requests, most] = [0, 0]
  const server = createServer((socket) => {
    sockets.add(socket)
    let text = ''
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      used.delete(socket)
      most = Math.max(most, socket.bytesWritten)
    })
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1')
      const [head, body] = text.split('\r\n\r\n', 2)
      const length = Number(/content-length: (\d+)/i.exec(head!)?.[1])
      if (body === undefined || body.length < length) return
      text = ''
      requests++
      used.add(socket)
      const words = JSON.parse(Buffer.from(body, 'latin1').toString()) as string[]
      void trick(socket, { words, right: rightTo(words) })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    mostWritten: () => Math.max(most, ...[...sockets].map(({ bytesWritten }) => bytesWritten)),
    connections: () => used.size,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
