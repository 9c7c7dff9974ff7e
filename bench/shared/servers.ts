import { fileURLToPath } from 'node:url'
import { startChild } from '../../tools/child-process.ts'
import type { Address } from '../../verification/comparison/nodes.ts'

/** The report of the servers' process once they are up. */
export type ServersReport = {
  readonly addresses: readonly Address[]
  /** Names the servers behind the nodes, in one line. */
  readonly engine: string
}

/** Real servers, each behind its own gateway. `close` resolves when every process has ended. */
export type Servers = ServersReport & { readonly close: () => Promise<void> }

const file = fileURLToPath(new URL('server-process.ts', import.meta.url))

/**
 * Starts servers and their gateways in another process, which ends when this one ends. In the process of the clients,
 * a gateway would delay their replies.
 *
 * @throws if they do not start; the reason is on stderr.
 */
export const startServers = async (count: number): Promise<Servers> => {
  const child = await startChild<ServersReport>(file, { count })
  return {
    ...child.report,
    close: async () => {
      if (child.process.connected) child.process.disconnect()
      await child.ended
    },
  }
}
