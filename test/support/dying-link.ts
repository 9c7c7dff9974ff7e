import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { RestNodeOptions } from '../../src/index.ts'

/** How a connection ends that has died while it was idle: before its next request, or before the reply. */
export type Loss = 'request' | 'reply'

/** A way to a node whose open connections die when they are used next. New connections work. */
export type DyingLink = {
  readonly node: RestNodeOptions
  /**
   * Lets each connection that is open now end at its next request, as behind a NAT that forgot it.
   *
   * @returns the number of these connections.
   */
  readonly killIdle: (loss: Loss) => number
  readonly close: () => void
}

/** Relays the requests to a node over TCP. */
export const dyingLink = async (node: RestNodeOptions): Promise<DyingLink> => {
  const { hostname, port } = new URL(node.url)
  const open = new Map<Socket, Loss | undefined>()
  const server = createServer((client) => {
    const upstream = connect(+port, hostname)
    open.set(client, undefined)
    const end = (): void => {
      open.delete(client)
      upstream.destroy()
      client.destroy()
    }
    for (const socket of [client, upstream]) socket.on('close', end).on('error', end)
    client.on('data', (data) => {
      if (open.get(client) === 'request') client.resetAndDestroy()
      else upstream.write(data)
    })
    upstream.on('data', (data) => {
      if (open.get(client) === 'reply') client.resetAndDestroy()
      else client.write(data)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: own } = server.address() as AddressInfo
  return {
    node: { ...node, url: `http://127.0.0.1:${own}` },
    killIdle: (loss) => {
      for (const client of open.keys()) open.set(client, loss)
      return open.size
    },
    close: () => {
      for (const client of open.keys()) client.destroy()
      server.close()
    },
  }
}
