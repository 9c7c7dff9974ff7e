import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type SecureContextOptions } from 'node:tls'
import { listening } from '../../tools/cli/listening.ts'

/** A server behind a long distance. */
export type DistantServer = { readonly port: number; readonly close: () => Promise<void> }

const closeOf = (server: Server, sockets: ReadonlySet<Socket>) => async (): Promise<void> => {
  const closed = new Promise((resolve) => server.close(resolve))
  for (const socket of sockets) socket.destroy()
  await closed
}

/** Connects two sockets; `carry` forwards the bytes of one direction and may delay them. */
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
 * Puts TLS and a distance in front of a port of this machine. Opening a connection takes three round
 * trips: one for TCP, and two for TLS 1.2, which many servers still use.
 *
 * @param roundTrip - The round trip in ms.
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
    // Timers with the same delay fire in order, so the bytes stay in order.
    const carry = (from: Socket, to: Socket): void =>
      void from.on('data', (bytes) => {
        setTimeout(() => to.destroyed || to.write(bytes), roundTrip / 2)
      })
    keep(client).pause()
    // The client is connected at once; this delay stands for the TCP handshake.
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
