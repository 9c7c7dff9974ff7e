import type { AddressInfo } from 'node:net'

type Listener = {
  listen(port: number, host: string): unknown
  once(event: 'error', listener: (error: Error) => void): unknown
  once(event: 'listening', listener: () => void): unknown
  address(): AddressInfo | string | null
}

/** Listens on a port of the loopback interface; 0 selects a free port. Resolves to the port. */
export const listening = (server: Listener, port = 0): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.once('listening', () => resolve((server.address() as AddressInfo).port))
    server.listen(port, '127.0.0.1')
  })
