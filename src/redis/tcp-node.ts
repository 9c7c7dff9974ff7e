import { untilAborted } from '../util/clock.ts'
import { nodeError, requestError, scopeOf, type Quarantine } from '../protocol/node.ts'
import { nameOf, type RedisNode, redisNode } from './redis-node.ts'

// TCP clients queue commands while they are not connected, and send them later. An acquire could then lock a key long
// after its call has failed, and nothing would release that key. So only connected clients receive commands.

/** The expected value in errors about a `keyPrefix`, which would change the names of keys. */
export const noKeyPrefix = 'unset (use the `prefix` option of Redlock instead)'

/** The events of a client that show whether it is connected. */
export type TcpEvents = {
  on(event: 'ready' | 'error' | 'end', listener: (...args: unknown[]) => void): unknown
}

/** The functions with which a node uses a client. */
export type TcpNodeOptions = {
  readonly client: TcpEvents
  readonly name: string
  readonly volatile: Quarantine | false | undefined
  /** The password, which is masked in errors. */
  readonly password: string | undefined
  readonly isReady: () => boolean
  /**
   * Opens the connection if the client does not do so itself. @throws if the client is closed.
   *
   * @param hasEnded - Whether the client was closed, according to its events.
   * @returns a promise for the first attempt to connect, if this call has started one.
   */
  readonly open: (hasEnded: boolean) => Promise<unknown> | undefined
  readonly send: (command: readonly string[], signal: AbortSignal) => Promise<unknown>
}

/** The state of a client's connection. */
type Connection = {
  /** Why the client is not connected; undefined while it is connecting or connected. */
  failure: Error | undefined
  /** Whether the last event was `end`. A client that has given up does not emit this event. */
  hasEnded: boolean
  /** Called after each event. */
  readonly waiters: Set<() => void>
}

// Several nodes can share one client, which needs only one set of listeners.
const connections = new WeakMap<TcpEvents, Connection>()

const connectionOf = (client: TcpEvents): Connection => {
  const known = connections.get(client)
  if (known) return known
  const connection: Connection = { failure: undefined, hasEnded: false, waiters: new Set() }
  const note = (failure: Error | undefined, hasEnded = false): void => {
    connection.failure = failure
    connection.hasEnded = hasEnded
    for (const wake of connection.waiters) wake()
  }
  client.on('ready', () => note(undefined))
  client.on('error', (error) => {
    const failure = requestError(error)
    // The client is about to reconnect.
    if (failure.retryable) return
    note(new Error(`not connected: ${failure.message}`))
  })
  client.on('end', () => note(new Error('not connected: the connection has ended'), true))
  connections.set(client, connection)
  return connection
}

/** Waits until the client is connected. @throws if the client fails to connect or the signal aborts. */
const connected = (
  { isReady, open, client }: TcpNodeOptions,
  signal: AbortSignal,
): Promise<void> | undefined => {
  const connection = connectionOf(client)
  if (isReady()) {
    connection.failure = undefined
    return undefined
  }
  const opening = open(connection.hasEnded)
  if (opening) connection.failure = undefined
  return untilAborted(signal, (resolve, reject) => {
    const look = (): void => {
      if (isReady()) resolve()
      else if (connection.failure) reject(connection.failure)
    }
    connection.waiters.add(look)
    // A client that gives up may not emit an event.
    opening?.catch((error: unknown) =>
      reject(new Error(`not connected: ${nodeError(error).message}`)),
    )
    look()
    return () => connection.waiters.delete(look)
  })
}

/** Creates a node that uses a client with one connection to its server. */
export const tcpNode = (options: TcpNodeOptions): RedisNode => {
  const { client, name, volatile, password, send } = options
  connectionOf(client)
  return redisNode({
    name,
    volatile,
    scope: scopeOf(name, '', client),
    send: async (command, call, signal) => {
      try {
        await connected(options, signal)
        // A command cannot be recalled once it is sent, so an abort only ignores the reply.
        return await untilAborted(signal, (resolve, reject) => {
          const { keys, args } = call
          const words = [command, nameOf(command, call), `${keys.length}`, ...keys, ...args]
          void send(words, signal).then(resolve, reject)
          return () => {}
        })
      } catch (error) {
        const failure = requestError(error, password || undefined)
        // The command is about to be sent again, so the client first needs time to notice that its connection has
        // ended.
        if (failure.retryable) await new Promise((resolve) => void setTimeout(resolve))
        throw failure
      }
    },
  })
}
