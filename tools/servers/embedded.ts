import RedisMock from 'ioredis-mock'
import type { RedisArgument } from '../../src/gateway/command.ts'
import type { RedisCommand } from '../../src/entries/gateway.ts'
import { embeddedScripts, type MockKeys } from './embedded-scripts.ts'
import type { Backend } from './ioredis.ts'

// The mock has no `call` method. Each command is a method instead.
type Methods = Record<string, ((...args: string[]) => Promise<unknown>) | undefined>

let instances = 0

const decoder = new TextDecoder()
const toText = (argument: RedisArgument): string =>
  typeof argument === 'string' ? argument : decoder.decode(argument)

/**
 * Creates a Redis inside this process, so that people can try the project without installing a server. It combines
 * `ioredis-mock` with the package's emulators of its scripts. It proves nothing about Redis, so the tests do not use it.
 */
export const embeddedBackend = (): Backend => {
  // Use a different port for each instance: instances with the same port share one database and its channels.
  const port = ++instances
  const client = new RedisMock({ host: 'embedded', port })
  const runScript = embeddedScripts(client as unknown as MockKeys)
  const send = async ([name, ...words]: RedisCommand): Promise<unknown> => {
    const args = words.map(toText)
    const reply = runScript(name, args)
    if (reply) return reply
    const method = (client as unknown as Methods)[name.toLowerCase()]
    if (!method) throw new Error(`ERR the embedded engine does not know '${name}'`)
    return method.apply(client, args)
  }
  return {
    send,
    transaction: async (commands) => {
      // Send all commands in one tick. The mock runs each command immediately, so no other command can run in between.
      const replies = await Promise.allSettled(commands.map(send))
      return replies.map((reply) =>
        reply.status === 'fulfilled' ? reply.value : (reply.reason as Error),
      )
    },
    subscribe: async ({ command, channels, onMessage, signal }) => {
      const own = new RedisMock({ host: 'embedded', port })
      own.on('message', (channel: string, message: string) => onMessage(message, channel))
      own.on('pmessage', (pattern: string, channel: string, message: string) =>
        onMessage(message, channel, pattern),
      )
      signal.addEventListener('abort', () => own.disconnect())
      await own[command](...channels.map(toText))
    },
    close: async () => client.disconnect(),
  }
}
