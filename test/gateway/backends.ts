import { Redis } from 'ioredis'
import type { RedisArgument } from '../../src/gateway/command.ts'
import { createClient, RESP_TYPES } from 'redis'
import type { RedisCommand } from '../../src/entries/gateway.ts'
import { type Backend, ioredisBackend } from '../../tools/servers/ioredis.ts'

const binary = (argument: RedisArgument): string | Buffer =>
  typeof argument === 'string' ? argument : Buffer.from(argument)

const withIntegers = (reply: unknown): unknown => {
  if (Array.isArray(reply)) return reply.map(withIntegers)
  return typeof reply === 'string' ? BigInt(reply) : reply
}

/** A backend of node-redis, with a connection per transaction and per subscription. */
const nodeRedisBackend = async (port: number): Promise<Backend> => {
  // Integers are the only replies that arrive as strings.
  const typeMapping = {
    [RESP_TYPES.BLOB_STRING]: Buffer,
    [RESP_TYPES.SIMPLE_STRING]: Buffer,
    [RESP_TYPES.NUMBER]: String,
  }
  const shared = createClient({
    socket: { host: '127.0.0.1', port, reconnectStrategy: () => 50 },
    RESP: 2,
    disableOfflineQueue: true,
  })
  shared.on('error', () => {})
  await shared.connect()
  const connectOwn = async (): Promise<typeof shared> => {
    const own = shared.duplicate({ socket: { host: '127.0.0.1', port, reconnectStrategy: false } })
    own.on('error', () => {})
    await own.connect()
    return own
  }
  const run = async (client: typeof shared, command: RedisCommand): Promise<unknown> =>
    withIntegers(await client.sendCommand(command.map(binary), { typeMapping }))
  return {
    send: (command) => run(shared, command),
    transaction: async (commands) => {
      const own = await connectOwn()
      try {
        await run(own, ['MULTI'])
        const queued = [...commands, ['EXEC'] as const].map((command) => run(own, command))
        return (await Promise.all(queued)).at(-1) as unknown[]
      } finally {
        own.destroy()
      }
    },
    subscribe: async ({ command, channels, onMessage, onEnd, signal }) => {
      const own = await connectOwn()
      own.on('error', onEnd)
      const close = (): void => {
        if (own.isOpen) own.destroy()
      }
      signal.addEventListener('abort', close)
      if (signal.aborted) close()
      const names = channels.map((channel) => Buffer.from(channel).toString())
      if (command === 'subscribe') return own.subscribe(names, onMessage, true)
      // The listener of a pattern is not told which one it is.
      await Promise.all(
        names.map((pattern) =>
          own.pSubscribe(pattern, (message, channel) => onMessage(message, channel, pattern), true),
        ),
      )
    },
    close: async () => shared.destroy(),
  }
}

/** An adapter that opens a connection for each transaction. */
const simpleBackend = async (port: number): Promise<Backend> => {
  const redis = new Redis({
    port,
    lazyConnect: true, // connected below
    // A command that is kept during an outage would run after its client has given up: a lock that no one releases.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false, // never send a command twice
    enableReadyCheck: false, // it would delay commands for up to 10 s while Redis is loading
    socketTimeout: 5_000, // opens another connection where this one falls silent
    disableClientInfo: true, // a connection that ends before the reply to it would never be opened again
    stringNumbers: true, // integers above 2^53 exactly
  })
  await redis.connect() // commands before that would be rejected
  const bytes = (arg: RedisArgument): string | Buffer =>
    typeof arg === 'string' ? arg : Buffer.from(arg)
  // Only integers arrive as strings, since callBuffer returns other replies as bytes.
  const exact = (reply: unknown): unknown => {
    if (Array.isArray(reply)) return reply.map(exact)
    return typeof reply === 'string' ? BigInt(reply) : reply
  }
  const call = async (client: Redis, [name, ...args]: RedisCommand): Promise<unknown> =>
    exact(await client.callBuffer(name, ...args.map(bytes)))

  return {
    send: (command) => call(redis, command),
    transaction: async (commands) => {
      const own = redis.duplicate()
      try {
        await own.connect()
        await own.call('MULTI') // throws where it is forbidden; the commands would run one by one
        const replies = await Promise.all(
          [...commands, ['EXEC'] as const].map((command) => call(own, command)),
        )
        return replies.at(-1) as unknown[]
      } finally {
        own.disconnect()
      }
    },
    subscribe: async ({ command, channels, onMessage, onEnd, signal }) => {
      const own = redis.duplicate({ retryStrategy: () => null }) // messages are lost meanwhile
      own.on('error', () => {}) // a call below rejects, or `end` follows
      own.on('messageBuffer', (channel, message) => onMessage(message, channel))
      own.on('pmessageBuffer', (pattern, channel, message) => onMessage(message, channel, pattern))
      own.on('end', onEnd)
      signal.addEventListener('abort', () => own.disconnect())
      await own.connect()
      await own[command](...(channels.map(bytes) as string[]))
    },
    close: async () => redis.disconnect(),
  }
}

/** The Redis clients that the gateway is tested with. */
export const backends: Record<string, (port: number) => Promise<Backend>> = {
  'tools/servers/ioredis.ts': async (port) => ioredisBackend({ host: '127.0.0.1', port }),
  'ioredis without a pool': simpleBackend,
  'node-redis': nodeRedisBackend,
}
