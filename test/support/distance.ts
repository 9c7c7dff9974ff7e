import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type SecureContextOptions } from 'node:tls'
import { listening } from '../../tools/cli/listening.ts'

/** A server as one sees it from far away. */
export type DistantServer = { readonly port: number; readonly close: () => Promise<void> }

const closeOf = (server: Server, sockets: ReadonlySet<Socket>) => async (): Promise<void> => {
  const closed = new Promise((resolve) => server.close(resolve))
  for (const socket of sockets) socket.destroy()
  await closed
}

/** Connects two sockets, each way by a function that may hold bytes back. */
const join = (a: Socket, b: Socket, carry: (from: Socket, to: Socket) => void): void => {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    from.on('error', () => {})
    from.once('close', () => to.destroy())
    carry(from, to)
  }
}

/**
 * Puts TLS and a distance in front of a port of this machine. A connection takes three round trips to
 * open: one for TCP, and two for TLS 1.2, which is what many servers still speak.
 *
 * @param roundTrip - Ms there and back.
 */
export const distantServer = async (
  port: number,
  roundTrip: number,
  identity: SecureContextOptions,
): Promise<DistantServer> => {
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.once('close', () => sockets.delete(socket))
  }
  const reach = (target: number): Socket =>
    keep(connect({ port: target, host: '127.0.0.1', noDelay: true }))
  const secure = createTlsServer({ ...identity, maxVersion: 'TLSv1.2' }, (client) => {
    join(keep(client), reach(port), (from, to) => from.pipe(to))
  })
  const securePort = await listening(secure)
  const far = createTcpServer({ noDelay: true }, (client) => {
    // Timers of one delay fire in their order, and so the bytes keep theirs.
    const carry = (from: Socket, to: Socket): void =>
      void from.on('data', (bytes) => {
        setTimeout(() => to.destroyed || to.write(bytes), roundTrip / 2)
      })
    keep(client).pause()
    // The client believes that it is connected at once: what TCP would have taken is made up for here.
    setTimeout(() => {
      if (client.destroyed) return
      join(client, reach(securePort), carry)
      client.resume()
    }, roundTrip)
  })
  const closes = [closeOf(far, sockets), closeOf(secure, sockets)]
  return {
    port: await listening(far),
    close: async () => void (await Promise.all(closes.map((close) => close()))),
  }
}
