import { createServer, type Socket } from 'node:net'
import { listening } from '../../tools/cli/listening.ts'

/** A server on raw sockets, which need not speak any protocol. */
export type SocketServer = {
  readonly port: number
  /** The number of open connections. */
  readonly connections: () => number
  readonly stop: () => Promise<unknown>
}

/** Accepts connections, and reads them. Without `onConnection` it never answers. */
export const serveSockets = async (
  onConnection: (socket: Socket) => unknown = () => {},
): Promise<SocketServer> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.resume()
    onConnection(socket)
  })
  return {
    port: await listening(server),
    connections: () => sockets.size,
    stop: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
