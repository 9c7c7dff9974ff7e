import { Command, Redis } from 'ioredis'
import type { RedisCommand } from '../../src/gateway/index.ts'

/** The functions that the gateway needs of a Redis client; `close` ends its connections. */
export type Backend = {
  send(command: RedisCommand): Promise<unknown>
  transaction(commands: readonly RedisCommand[]): Promise<readonly unknown[]>
  close(): Promise<void>
}

const run = async (client: Redis, [name, ...args]: RedisCommand): Promise<unknown> =>
  client.sendCommand(
    new Command(
      name,
      args.map((arg) => (typeof arg === 'string' ? arg : Buffer.from(arg))),
      { replyEncoding: null },
    ),
  )

// A client without an open socket emits no `end` event.
const end = async (client: Redis): Promise<void> => {
  const open = client.stream && !client.stream.destroyed
  const ended = open && new Promise((resolve) => client.once('end', resolve))
  client.disconnect()
  await ended
}

/**
 * Puts ioredis behind the gateway. Commands share one connection. Each transaction has a connection
 * of its own, from a pool that grows with the number of simultaneous transactions. A command whose
 * connection breaks is rejected and never resent.
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
  const connect = (): Redis => {
    const client = new Redis({
      host,
      port,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      // A server that loads its data says so in its replies; the check would delay them up to 10 s.
      enableReadyCheck: false,
      retryStrategy: () => 50,
    })
    // The pending commands reject with the error; an event without a listener would be printed.
    client.on('error', () => {})
    clients.add(client)
    return client
  }
  const shared = connect()

  return {
    send: (command) => run(shared, command),
    transaction: async (commands) => {
      const client = idle.pop() ?? connect()
      // Sent in one tick and one write, so that nothing can come between MULTI and EXEC.
      const replies = await Promise.allSettled(
        [['MULTI'] as const, ...commands, ['EXEC'] as const].map((command) => run(client, command)),
      )
      idle.push(client)
      const exec = replies.at(-1)!
      if (exec.status === 'rejected') throw exec.reason
      return exec.value as readonly unknown[]
    },
    close: async () => {
      await Promise.all(Array.from(clients, end))
    },
  }
}
