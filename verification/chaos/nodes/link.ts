import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Random } from '../../../tools/random.ts'

// A link between clients and a node: a TCP proxy with network faults. Bytes that a partition holds back are delivered
// afterwards, as with TCP. So a request can arrive late, even after its client has given up or was killed.

export type LinkFault = {
  readonly kind: 'connections reset' | 'delay' | 'loss' | 'partition' | 'replies held'
  readonly amount: number
}

// The minimum retransmission timeout of TCP on Linux, in ms (see RFC 6298).
const retransmission = 200

export type Direction = 'requests' | 'replies'
type Piece = { readonly bytes: Buffer | null; readonly due: number }

export type Link = {
  readonly server: Server
  readonly set: (fault?: LinkFault) => void
  /**
   * Makes each open connection end at its next bytes in this direction, as if a NAT had dropped the connection.
   *
   * @returns the number of open connections.
   */
  readonly doom: (direction: Direction) => number
  readonly close: () => Promise<void>
}

/**
 * @param distance - The delay of all bytes each way, in ms.
 * @param handshake - The extra delay of a new connection, in ms: the client connects immediately, but its first bytes
 *   are late.
 */
export const makeLink = (target: number, random: Random, distance = 0, handshake = 0): Link => {
  let fault: LinkFault | undefined
  const sockets = new Set<Socket>()
  const queues = new Set<() => void>()
  /** The open connections, with the direction of the bytes at which each connection should end. */
  const doomed = new Map<Socket, Direction | undefined>()

  const delay = (): number => distance + delayByFault()
  const delayByFault = (): number => {
    if (fault?.kind === 'delay') return fault.amount
    if (fault?.kind !== 'loss') return 0
    // Each time the segment is lost again, TCP doubles the timeout.
    const { amount } = fault
    const lost = [1, 2, 3, 4].findIndex(() => !random.chance(amount))
    return retransmission * (2 ** (lost < 0 ? 4 : lost) - 1)
  }

  const isHeld = (direction: Direction): boolean =>
    fault?.kind === 'partition' || (fault?.kind === 'replies held' && direction === 'replies')

  /** Forwards bytes in one direction, in order, when they are due. Back pressure is not needed for so few bytes. */
  const carry = (from: Socket, to: Socket, direction: Direction): void => {
    const pieces: Piece[] = []
    const isOpenAt = performance.now() + handshake
    let timer: NodeJS.Timeout | undefined
    const flush = (): void => {
      clearTimeout(timer)
      while (pieces[0] && !isHeld(direction)) {
        const wait = pieces[0].due - performance.now()
        if (wait > 0) {
          timer = setTimeout(flush, wait)
          return
        }
        const { bytes } = pieces.shift()!
        if (!bytes) queues.delete(flush)
        if (to.destroyed) continue
        if (bytes) to.write(bytes)
        else to.end()
      }
    }
    const push = (bytes: Buffer | null): void => {
      const before = pieces.at(-1)?.due ?? 0
      const sentAt = Math.max(isOpenAt, performance.now())
      pieces.push({ bytes, due: Math.max(before, sentAt + delay()) })
      flush()
    }
    queues.add(flush)
    const client = direction === 'requests' ? from : to
    from.on('data', (bytes: Buffer) => {
      if (doomed.get(client) === direction) client.resetAndDestroy()
      else push(bytes)
    })
    from.once('close', () => push(null))
    // Close the connection of the client if the node stops. Requests of a disconnected client are still delivered.
    if (direction === 'requests') to.once('close', () => from.destroy())
  }

  const server = createServer({ noDelay: true }, (client) => {
    if (fault?.kind === 'connections reset') {
      client.resetAndDestroy()
      return
    }
    const node = connect({ port: target, host: '127.0.0.1', noDelay: true })
    for (const socket of [client, node]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => sockets.delete(socket))
    }
    doomed.set(client, undefined)
    client.once('close', () => doomed.delete(client))
    carry(client, node, 'requests')
    carry(node, client, 'replies')
  })

  const set = (next?: LinkFault): void => {
    fault = next
    if (fault?.kind === 'connections reset') for (const socket of sockets) socket.resetAndDestroy()
    for (const flush of queues) flush()
  }
  return {
    server,
    set,
    doom: (direction) => {
      for (const client of doomed.keys()) doomed.set(client, direction)
      return doomed.size
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
