import { Command, Redis } from 'ioredis'
import type { RedisCommand } from '../../src/gateway/index.ts'

/** What the gateway asks of a Redis client, and the way to end its connections. */
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

// A client without an open socket ends without another event.
const end = async (client: Redis): Promise<void> => {
  const open = client.stream && !client.stream.destroyed
  const ended = open && new Promise((resolve) => client.once('end', resolve))
  client.disconnect()
  await ended
}

/**
 * Puts ioredis behind the gateway. Commands run on one connection, every transaction on a
 * connection of its own, taken from a pool that grows with the number of simultaneous ones.
 * A command whose connection breaks is rejected and never sent a second time.
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
      // A server that is loading its data says so. The check would ask again up to 10 s later.
      enableReadyCheck: false,
      retryStrategy: () => 50,
    })
    // The commands that were under way carry the error; an unheard event would be printed.
    client.on('error', () => {})
    clients.add(client)
    return client
  }
  const shared = connect()

  return {
    send: (command) => run(shared, command),
    transaction: async (commands) => {
      const client = idle.pop() ?? connect()
      // One tick, one write: nothing can come between MULTI and EXEC, not even a reconnection.
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
