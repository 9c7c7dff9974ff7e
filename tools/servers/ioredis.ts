import { Command, Redis } from 'ioredis'
import type { Subscription } from '../../src/gateway/subscription.ts'
import type { RedisArgument } from '../../src/gateway/command.ts'
import type { RedisCommand } from '../../src/gateway/index.ts'

/** The functions that the gateway needs of a Redis client; `close` ends its connections. */
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
 * Collects what is sent until the events that are at hand are handled, and writes it at once: a call of the
 * system per command would be a fifth of what a busy gateway does.
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
 * Puts ioredis behind the gateway. Commands share one connection. Each transaction has a connection
 * of its own, from a pool that grows with the number of simultaneous transactions, and each
 * subscription has one that ends with it. A command whose connection breaks is rejected and never
 * resent.
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
      // A server that loads its data says so in its replies; the check would delay them up to 10 s.
      enableReadyCheck: false,
      // Without that check, ioredis waits for the reply to its own name. A connection that ends before it would count
      // as ready for ever, and never be opened again.
      disableClientInfo: true,
      // A connection that a balancer or a lost host has forgotten says nothing, and the kernel waits for 15 minutes.
      socketTimeout: 5_000,
      retryStrategy: () => 50,
      // An attempt whose packets are lost would keep the server away for 10 s after it is back.
      connectTimeout: 1_000,
      stringNumbers: true,
      ...own,
    })
    // The commands reject with an error of their own; an event without a listener would be printed.
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
        // Where this fails, as for an ACL user without MULTI, the commands would run one by one.
        await run(client, ['MULTI'])
        // Sent in one tick, and answered in order: of several errors, the first one is thrown.
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
      // A connection that reconnects would hide that messages were missed.
      const client = connect({ retryStrategy: () => null })
      client.on('messageBuffer', (channel: Buffer, message: Buffer) => onMessage(message, channel))
      client.on('pmessageBuffer', (pattern: string, channel: Buffer, message: Buffer) =>
        onMessage(message, channel, pattern),
      )
      client.once('end', onEnd)
      signal.addEventListener('abort', () => discard(client))
      await client.connect()
      // The types of ioredis do not know that it sends bytes here as well.
      await client[command](...(channels.map(toWire) as string[]))
    },
    close: async () => {
      await Promise.all(Array.from(clients, end))
    },
  }
}
