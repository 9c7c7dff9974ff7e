import getPort, { portNumbers } from 'get-port'

/**
 * A free port of the loopback interface for a Worker.
 *
 * @param wanted - Default: 8787, or the next free port; 0 for any.
 * @throws if the requested port is taken.
 */
export const freePort = async (wanted?: number): Promise<number> => {
  const preferred = wanted === 0 ? {} : { port: wanted ?? portNumbers(8787, 8886) }
  const free = await getPort({ host: '127.0.0.1', ...preferred })
  if (wanted && free !== wanted) {
    throw new Error(`Port ${wanted} is taken: choose another with --port, or leave it out`)
  }
  return free
}
