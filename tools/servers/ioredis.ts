import { Command, Redis } from 'ioredis'
import type { Subscription } from '../../src/gateway/subscription.ts'
import type { RedisArgument } from '../../src/gateway/command.ts'
import type { RedisCommand } from '../../src/entries/gateway.ts'

/** The functions of a Redis client that the gateway needs; `close` ends its connections. */
export type Backend = {
  send(command: RedisCommand): Promise<unknown>
  transaction(commands: readonly RedisCommand[]): Promise<readonly unknown[]>
  subscribe(subscription: Subscription): Promise<void>
  close(): Promise<void>
}

// With `stringNumbers` integers arrive as strings, and everything else as bytes.
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
 * Buffers commands until the pending events are handled, then writes them in one system call. One call per command
 * would be a fifth of the work of a busy gateway.
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
 * Puts ioredis behind the gateway. Commands share one connection. Each transaction gets a connection from a pool that
 * grows with the number of simultaneous transactions. Each subscription has a connection that ends with it. A command
 * whose connection breaks is rejected and never resent.
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
      // A command that is kept during an outage would run after its client has given up.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      // A server that is loading its data reports it in its replies; the check would delay them by up to 10 s.
      enableReadyCheck: false,
      // Without that check, ioredis waits for the reply to CLIENT SETINFO. A connection that ends before that reply
      // would count as ready forever, and never be reopened.
      disableClientInfo: true,
      // If a load balancer or a lost host has dropped a connection, no packet arrives, and the kernel waits for 15
      // minutes.
      socketTimeout: 5_000,
      retryStrategy: () => 50,
      // An attempt whose packets are lost would keep the server away for 10 s after it is back.
      connectTimeout: 1_000,
      stringNumbers: true,
      ...own,
    })
    // Each command rejects with its own error; an `error` event without a listener would be printed.
    client.on('error', () => {})
    clients.add(client)
    return client
  }
  const discard = (client: Redis): void => {
    clients.delete(client)
    client.disconnect()
  }
  const shared = connect()
  // Requests may arrive before the first connection, and are rejected if it fails.
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
        // The commands are sent in one tick and answered in order, so the first of several errors is thrown.
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
      // Reconnecting would hide the messages that were missed.
      const client = connect({ retryStrategy: () => null })
      client.on('messageBuffer', (channel: Buffer, message: Buffer) => onMessage(message, channel))
      client.on('pmessageBuffer', (pattern: string, channel: Buffer, message: Buffer) =>
        onMessage(message, channel, pattern),
      )
      client.once('end', onEnd)
      signal.addEventListener('abort', () => discard(client))
      await client.connect()
      // ioredis also emits bytes here, which its types omit.
      await client[command](...(channels.map(toWire) as string[]))
    },
    close: async () => {
      await Promise.all(Array.from(clients, end))
    },
  }
}
