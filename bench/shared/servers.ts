import { fork } from 'node:child_process'
import type { Address } from '../../verification/comparison/nodes.ts'

/** What the process of the servers tells once they are up. */
export type Served = {
  readonly addresses: readonly Address[]
  /** One line that says what runs behind the nodes. */
  readonly engine: string
}

/** Real servers, each behind a gateway of its own. `close` resolves when every process has ended. */
export type Servers = Served & { readonly close: () => Promise<void> }

/**
 * Starts so many servers with their gateways in another process, which ends with this one at the
 * latest: a gateway in the process of the clients would make their every reply late.
 *
 * @throws when they do not come up; why is on stderr.
 */
export const startServers = async (count: number): Promise<Servers> => {
  const child = fork(new URL('serve.ts', import.meta.url), [`${count}`])
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const served = await new Promise<Served>((resolve, reject) => {
    child.once('message', resolve as (message: unknown) => void)
    child.once('error', reject)
    void ended.then((code) => reject(new Error(`The process of the servers ended with ${code}`)))
  })
  return {
    ...served,
    close: async () => {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
