import { nodeGate } from '../../src/memory/testing/node-controls.ts'
import { systemClock } from '../../src/util/clock.ts'
import { embeddedBackend } from './embedded.ts'
import type { Backend } from './ioredis.ts'
import type { ServerControls } from './redis.ts'

/**
 * Creates a server with the embedded engine that can crash, freeze and restart. Like a Redis server without persistence,
 * it is empty after a crash.
 */
export const embeddedServer = (): { backend: Backend; controls: ServerControls } => {
  const gate = nodeGate(systemClock)
  const backend = embeddedBackend()
  const send: Backend['send'] = async (command) => {
    if (!gate.isOpen()) await gate.arrive(undefined)
    return backend.send(command)
  }
  return {
    backend: {
      ...backend,
      send,
      transaction: async (commands) => {
        if (!gate.isOpen()) await gate.arrive(undefined)
        return backend.transaction(commands)
      },
    },
    controls: {
      crash: async () => {
        gate.fail(new Error('The embedded engine is down'))
        await backend.send(['FLUSHALL'])
      },
      freeze: gate.hang,
      resume: gate.recover,
      restart: async () => gate.recover(),
    },
  }
}
