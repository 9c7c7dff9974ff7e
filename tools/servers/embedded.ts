import RedisMock from 'ioredis-mock'
import type { RedisCommand } from '../../src/gateway/index.ts'
import type { Backend } from './ioredis.ts'

// The mock has no `call`; each command is a method.
type Methods = Record<string, ((...args: string[]) => Promise<unknown>) | undefined>

let instances = 0

/**
 * A Redis inside this process, to try the project where no server is installed: `ioredis-mock`, which
 * runs real Lua in memory. It proves nothing about Redis, so the tests do not use it.
 */
export const embeddedBackend = (): Backend => {
  // Instances share one database unless they have different ports.
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
      // Sent in one tick, since the mock runs a command when it is called: no other comes between.
      const replies = await Promise.allSettled(commands.map(send))
      return replies.map((reply) =>
        reply.status === 'fulfilled' ? reply.value : (reply.reason as Error),
      )
    },
    close: async () => client.disconnect(),
  }
}
