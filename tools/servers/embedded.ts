import RedisMock from 'ioredis-mock'
import type { RedisCommand } from '../../src/gateway/index.ts'
import type { Backend } from './ioredis.ts'

// The mock has no `call`: a command is a method of its name.
type Methods = Record<string, ((...args: string[]) => Promise<unknown>) | undefined>

let instances = 0

/**
 * A Redis inside this process, for first contact where no server is installed: `ioredis-mock`,
 * which runs real Lua. It lives in memory and ends with the process; it proves nothing about
 * Redis, so the tests do not use it.
 */
export const embeddedBackend = (): Backend => {
  // Instances share one database unless they claim to be on different ports.
  const client = new RedisMock({ host: 'embedded', port: ++instances })
  const send = async ([name, ...args]: RedisCommand): Promise<unknown> => {
    const method = (client as unknown as Methods)[name.toLowerCase()]
    if (!method) throw new Error(`ERR the embedded engine does not know '${name}'`)
    const decoder = new TextDecoder()
    return method.apply(
      client,
      args.map((arg) => (typeof arg === 'string' ? arg : decoder.decode(arg))),
    )
  }
  return {
    send,
    transaction: async (commands) => {
      // No await between them lets another command in: the mock runs a command when it is called.
      const replies = await Promise.allSettled(commands.map(send))
      return replies.map((reply) =>
        reply.status === 'fulfilled' ? reply.value : (reply.reason as Error),
      )
    },
    close: async () => client.disconnect(),
  }
}
