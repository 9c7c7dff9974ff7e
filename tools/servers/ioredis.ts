import { Command, Redis } from 'ioredis'
import type { Subscription } from '../../src/gateway/subscription.ts'
import type { RedisArgument } from '../../src/gateway/command.ts'
import type { RedisCommand } from '../../src/entries/gateway.ts'

/** The functions of a Redis client that the gateway needs. `close` ends its connections. */
export type Backend = {
  send(command: RedisCommand): Promise<unknown>
  transaction(commands: readonly RedisCommand[]): Promise<readonly unknown[]>
  subscribe(subscription: Subscription): Promise<void>
  close(): Promise<void>
}

// With `stringNumbers`, integers arrive as strings, and everything else arrives as bytes.
const withIntegers = (reply: unknown): unknown => {
  if (Array.isArray(reply)) return reply.map(withIntegers)
  return typeof reply === 'string' ? BigInt(reply) : reply
}

const toWire = (arg: RedisArgument): string | Buffer =>
  typeof arg === 'string' ? arg : Buffer.from(arg)

const run = async (client: Redis, [name, ...args]: RedisCommand): Promise<unknown> =>
  withIntegers(
    await client.sendCommand(new Command(name, args.map(toWire), { replyEncoding: null })),
  )

/**
 * Buffers commands until the pending events have been handled, then writes them in one system call. With one call per
 * command, the calls would be a fifth of the work of a busy gateway.
 */
const collectWrites = ({ stream }: Redis): void => {
  if (!stream || stream.writableCorked > 0) return
  stream.cork()
  setImmediate(() => stream.uncork())
}

// A client without an open socket emits no `end` event.
const end = async (client: Redis): Promise<void> => {
  const open = client.stream && !client.stream.destroyed
  const ended = open && new Promise((resolve) => client.once('end', resolve))
  client.disconnect()
  await ended
}

/**
 * Connects the gateway to Redis with ioredis. Commands share one connection. Each transaction uses a connection from a
 * pool that grows with the number of simultaneous transactions. Each subscription has a separate connection. If a
 * connection breaks, its commands are rejected and never resent.
 *
 * @example
 * ```ts
 * const backend = ioredisBackend({ host: '127.0.0.1', port: 6379 })
 * serve({ fetch: gateway({ token, ...backend }).fetch, port: 8079 })
 * ```
 */
export const ioredisBackend = ({ host, port }: { host: string; port: number }): Backend => {
  const clients = new Set<Redis>()
  const idle: Redis[] = []
  const connect = (own: { retryStrategy?: () => null } = {}): Redis => {
    const client = new Redis({
      host,
      port,
      lazyConnect: true,
      // A command that is queued during an outage would run after its client has given up.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      // A server that is loading its data reports this in its replies. The ready check would delay them by up to 10 s.
      enableReadyCheck: false,
      // Without the ready check, ioredis waits for the reply to CLIENT SETINFO. A connection that ends before that reply
      // would be considered ready forever, and never be reopened.
      disableClientInfo: true,
      // If a load balancer or a lost host silently drops a connection, the kernel would wait for 15 minutes.
      socketTimeout: 5_000,
      retryStrategy: () => 50,
      // If the packets of an attempt are lost, the default of 10 s would delay the connection to a server that is back.
      connectTimeout: 1_000,
      stringNumbers: true,
      ...own,
    })
    // Each command rejects with its own error. Without a listener, `error` events would be printed.
    client.on('error', () => {})
    clients.add(client)
    return client
  }
  const discard = (client: Redis): void => {
    clients.delete(client)
    client.disconnect()
  }
  const shared = connect()
  // Requests that arrive before the first connection wait for it, and are rejected if it fails.
  const connected = shared.connect().catch(() => {})

  return {
    send: async (command) => {
      await connected
      collectWrites(shared)
      return run(shared, command)
    },
    transaction: async (commands) => {
      const pooled = idle.pop()
      const client = pooled ?? connect()
      try {
        if (!pooled) await client.connect()
        // If MULTI fails, for example because an ACL forbids it, the commands would run one by one.
        await run(client, ['MULTI'])
        // Commands are sent in one tick, and replies arrive in order. So the first of several errors is thrown.
        const replies = await Promise.all(
          [...commands, ['EXEC'] as const].map((command) => run(client, command)),
        )
        idle.push(client)
        return replies.at(-1) as readonly unknown[]
      } catch (error) {
        // The connection may still be in a transaction.
        discard(client)
        throw error
      }
    },
    subscribe: async ({ command, channels, onMessage, onEnd, signal }) => {
      // Do not reconnect, because that would hide missed messages.
      const client = connect({ retryStrategy: () => null })
      client.on('messageBuffer', (channel: Buffer, message: Buffer) => onMessage(message, channel))
      client.on('pmessageBuffer', (pattern: string, channel: Buffer, message: Buffer) =>
        onMessage(message, channel, pattern),
      )
      client.once('end', onEnd)
      signal.addEventListener('abort', () => discard(client))
      await client.connect()
      // ioredis accepts bytes here, although its types do not.
      await client[command](...(channels.map(toWire) as string[]))
    },
    close: async () => {
      await Promise.all(Array.from(clients, end))
    },
  }
}
