import getPort, { portNumbers } from 'get-port'

const host = '127.0.0.1'
const tries = 1_000

/**
 * Finds a free port of the loopback interface. The port is below the range for outgoing connections, so none of them
 * can take the port before the server listens on it.
 */
export const anyPort = (): Promise<number> => {
  const first = 10_000 + Math.floor(Math.random() * 20_000)
  return getPort({ host, port: portNumbers(first, first + tries) })
}

/**
 * Finds a free port of the loopback interface for a Worker.
 *
 * @param wanted - The requested port; 0 for any. Default: 8787, or the next free port.
 * @throws if the requested port is taken.
 */
export const freePort = async (wanted?: number): Promise<number> => {
  if (wanted === 0) return anyPort()
  const free = await getPort({ host, port: wanted ?? portNumbers(8787, 8886) })
  if (wanted && free !== wanted) {
    throw new Error(`Port ${wanted} is taken: choose another with --port, or leave it out`)
  }
  return free
}
