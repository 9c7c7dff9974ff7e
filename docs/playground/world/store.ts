import { type Guard, memoryGuard, StaleTokenError } from '../../../src/guards/index.ts'
import type { Process } from '../../../verification/simulation/engine/process.ts'
import type { Network } from './network.ts'
import type { Recorder } from './recorder.ts'

/** The store that the holders write to. It refuses a token that is lower than one it has seen. */
export const makeStore = (network: Network, recorder: Recorder) => {
  const guard: Guard = memoryGuard()
  return {
    /**
     * Resolves once the store has answered, to whether it accepted the write. `resource` is the key of
     * the lock or slot, whose tokens are compared.
     */
    write: (
      process: Process,
      client: number,
      resource: string,
      token: number,
    ): Promise<boolean> => {
      const message = recorder.sent({ client, to: 'store', operation: 'write', attempt: 0, token })
      return network.deliver(process, message, network.wayToStore(client), async () => {
        try {
          await guard.advance(resource, token)
          message.verdict = 'accepted'
          recorder.stored(client, token)
          return true
        } catch (error) {
          if (!(error instanceof StaleTokenError)) throw error
          message.verdict = 'stale'
          message.highest = error.highest
          return false
        }
      })
    },
  }
}

export type Store = ReturnType<typeof makeStore>
