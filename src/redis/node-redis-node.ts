import { assertOption, checkOptions } from '../util/validate.ts'
import type { LockNode, Quarantine } from '../protocol/node.ts'
import { noKeyPrefix, tcpNode } from './tcp-node.ts'

/** The members of a `redis` client (node-redis) that a node uses. */
export type NodeRedisClient = {
  readonly isOpen: boolean
  readonly isReady: boolean
  connect(): Promise<unknown>
  select(database: number): Promise<unknown>
  sendCommand(
    args: string[],
    options?: { readonly abortSignal?: AbortSignal; readonly typeMapping?: object },
  ): Promise<unknown>
  on(event: string, listener: (...args: unknown[]) => void): unknown
}

type NodeRedisInternals = {
  readonly options?: {
    readonly url?: string
    readonly password?: string
    readonly database?: number
    readonly keyPrefix?: unknown
    readonly socket?: { readonly host?: string; readonly port?: number; readonly path?: string }
  }
}

/** The address of the server, without credentials. */
const addressOf = ({
  url,
  socket = {},
  database = 0,
}: Required<NodeRedisInternals>['options']): string => {
  const { host = 'localhost', port = 6379, path } = socket
  if (!url) return `redis://${path ?? `${host}:${port}`}/${database}`
  const { hostname, port: urlPort, pathname } = new URL(url)
  return `redis://${hostname}:${urlPort || 6379}/${pathname.slice(1) || database}`
}

// node-redis decodes integers inexactly if they are close to the largest safe integer. So it returns them as strings
// here. (58 is `:`, the RESP type of integers.)
const typeMapping = { 58: String }

const toInteger = (field: unknown): unknown =>
  typeof field === 'string' && /^-?\d+$/.test(field) ? Number(field) : field

/** Converts the integers of a reply back to numbers. No other field of a reply consists of digits only. */
const withIntegers = (reply: unknown): unknown =>
  Array.isArray(reply) ? reply.map(toInteger) : reply

/** Rejects clients that would change the names of keys. */
const checkClient = (client: NodeRedisClient): NonNullable<NodeRedisInternals['options']> => {
  // Only a client with a single connection has `select`.
  const isClient = typeof client?.isReady === 'boolean' && typeof client.select === 'function'
  assertOption(isClient, 'client', 'a client from createClient(), not a cluster or a pool', client)
  const { options = {} } = client as NodeRedisInternals
  const { keyPrefix } = options
  assertOption(!keyPrefix, 'keyPrefix', noKeyPrefix, keyPrefix)
  return options
}

/**
 * Returns a function that connects the client. Afterwards, an app can still call `connect()` on the client, which would
 * normally reject because the client is open. Instead, that call resolves to the existing connection.
 */
const sharedConnect = (client: NodeRedisClient): (() => Promise<unknown>) => {
  let opening: Promise<unknown> | undefined
  return () => {
    if (opening) return client.connect()
    const connect = client.connect.bind(client)
    client.connect = () => {
      if (!client.isOpen) opening = connect()
      return opening!
    }
    return client.connect()
  }
}

/**
 * A node that uses a `redis` client (node-redis), for services on Node.js that share locks with Workers. The first call
 * opens the connection, unless you have called `client.connect()`. From then on, `connect()` resolves to the existing
 * connection. Do not await `connect()`: while the server is down, it never resolves, whereas the node fails
 * immediately. A client that has given up, as with `reconnectStrategy: false`, reconnects at the next call. The client
 * receives commands only while it is connected, so it never sends one late.
 *
 * @param options.name - Identifies the node in reports, and orders the nodes. If other clients reach the same server
 *   over REST, pass their URL, so that all clients agree on the order. Default: `redis://host:port/database`.
 * @param options.volatile - `quarantine()` if the server may lose writes when it restarts.
 * @throws `TypeError` if `client` does not come from `createClient`, or has a `keyPrefix`.
 * @example
 * ```ts
 * const client = createClient({ url: 'redis://127.0.0.1:6379' })
 * const node = nodeRedisNode(client, { name: 'https://eu1-caring-owl-1.upstash.io' })
 * ```
 */
export const nodeRedisNode = (
  client: NodeRedisClient,
  options: { name?: string; volatile?: Quarantine | false } = {},
): LockNode => {
  checkOptions('nodeRedisNode()', options, 'name, volatile')
  const settings = checkClient(client)
  const name = options.name ?? addressOf(settings)
  assertOption(typeof name === 'string' && name, 'name', 'a string that is not empty', name)
  const connect = sharedConnect(client)
  return tcpNode({
    client,
    name,
    volatile: options.volatile,
    password: settings.password,
    isReady: () => client.isReady,
    open: (hasEnded) => {
      if (client.isOpen) return undefined
      if (hasEnded) throw new Error('not connected: the client is closed')
      return connect()
    },
    // Sends a raw command with explicit types, because the client may be configured to map reply types. The signal
    // removes a command from the client's queue if it has not been written yet.
    send: async (command, abortSignal) =>
      withIntegers(await client.sendCommand([...command], { abortSignal, typeMapping })),
  })
}
