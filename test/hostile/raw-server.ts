import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { writeReply } from '../../tools/redis-wire.ts'

/** The command of a request, and the body of a valid answer to it. */
export type Request = { readonly words: readonly string[]; readonly valid: string }

/** The behaviour of a server on the connection of a request. */
export type Trick = (socket: Socket, request: Request) => unknown

export type RawServer = {
  readonly url: string
  /** The number of requests so far. */
  readonly requests: () => number
  /** The maximum number of bytes that were written to one connection. */
  readonly maxWritten: () => number
  /** The number of open connections with a request. Clients also keep unused ones. */
  readonly connections: () => number
  readonly close: () => Promise<void>
}

/** The answer of a node that grants every operation. */
const grantOf = (words: readonly string[]): string => {
  const [operation, owner] = words.slice(3 + Number(words[2]))
  const echo = `${operation}${owner}`
  const result = writeReply({ echo, status: 'granted', left: -1, holder: '', counter: 7 })
  return JSON.stringify({ result })
}

/** A server on raw sockets, which can break the rules of HTTP. */
export const startRaw = async (trick: Trick): Promise<RawServer> => {
  const sockets = new Set<Socket>()
  const used = new Set<Socket>()
  let [requests, maxWritten] = [0, 0]
  const server = createServer((socket) => {
    sockets.add(socket)
    let text = ''
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      used.delete(socket)
      maxWritten = Math.max(maxWritten, socket.bytesWritten)
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
      void trick(socket, { words, valid: grantOf(words) })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    maxWritten: () => Math.max(maxWritten, ...[...sockets].map(({ bytesWritten }) => bytesWritten)),
    connections: () => used.size,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
