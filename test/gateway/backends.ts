import { Redis } from 'ioredis'
import { createClient, RESP_TYPES } from 'redis'
import type { RedisArgument, RedisCommand } from '../../src/gateway/index.ts'
import { type Backend, ioredisBackend } from '../../tools/servers/ioredis.ts'

const binary = (argument: RedisArgument): string | Buffer =>
  typeof argument === 'string' ? argument : Buffer.from(argument)

/** A backend of node-redis, with a connection per transaction. */
const nodeRedisBackend = async (port: number): Promise<Backend> => {
  const typeMapping = { [RESP_TYPES.BLOB_STRING]: Buffer }
  const shared = createClient({
    socket: { host: '127.0.0.1', port, reconnectStrategy: () => 50 },
    RESP: 2,
    disableOfflineQueue: true,
  })
  shared.on('error', () => {})
  await shared.connect()
  const run = (client: typeof shared, command: RedisCommand): Promise<unknown> =>
    client.sendCommand(command.map(binary), { typeMapping })
  return {
    send: (command) => run(shared, command),
    transaction: async (commands) => {
      const own = shared.duplicate({
        socket: { host: '127.0.0.1', port, reconnectStrategy: false },
      })
      own.on('error', () => {})
      await own.connect()
      try {
        const wrapped: RedisCommand[] = [['MULTI'], ...commands, ['EXEC']]
        const replies = await Promise.allSettled(wrapped.map((command) => run(own, command)))
        const exec = replies.at(-1)!
        if (exec.status === 'rejected') throw exec.reason
        return exec.value as unknown[]
      } finally {
        own.destroy()
      }
    },
    close: async () => shared.destroy(),
  }
}

/** The example in the documentation of `gateway()`, word for word. */
const documentedBackend = async (port: number): Promise<Backend> => {
  const redis = new Redis({
    port,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    enableReadyCheck: false,
  })
  return {
    send: ([name, ...args]) => redis.callBuffer(name, ...args.map(binary)),
    transaction: async (commands) => {
      const own = redis.duplicate()
      try {
        const multi = own.multi()
        for (const [name, ...args] of commands) multi.callBuffer(name, ...args.map(binary))
        const replies = (await multi.exec()) ?? []
        return replies.map(([error, reply]) => error ?? reply)
      } finally {
        own.disconnect()
      }
    },
    close: async () => redis.disconnect(),
  }
}

/** The Redis clients that the gateway is tested with. */
export const backends: Record<string, (port: number) => Promise<Backend>> = {
  'tools/servers/ioredis.ts': async (port) => ioredisBackend({ host: '127.0.0.1', port }),
  'the documented ioredis adapter': documentedBackend,
  'node-redis': nodeRedisBackend,
}
