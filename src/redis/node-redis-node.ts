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

// The client decodes integers of the protocol (58 is its letter, `:`) inexactly if they are close to the largest safe
// integer. As text they are exact.
const typeMapping = { 58: String }

const toInteger = (field: unknown): unknown =>
  typeof field === 'string' && /^-?\d+$/.test(field) ? Number(field) : field

/** Turns the integers of a reply back into numbers. No other field of a reply consists of digits. */
const withIntegers = (reply: unknown): unknown =>
  Array.isArray(reply) ? reply.map(toInteger) : reply

/** Rejects clients that would use other keys than the other clients do. */
const checkClient = (client: NodeRedisClient): NonNullable<NodeRedisInternals['options']> => {
  // Only a client of one connection has `select`.
  const isClient = typeof client?.isReady === 'boolean' && typeof client.select === 'function'
  assertOption(isClient, 'client', 'a client of createClient, no cluster and no pool', client)
  const { options = {} } = client as NodeRedisInternals
  const { keyPrefix } = options
  assertOption(!keyPrefix, 'keyPrefix', noKeyPrefix, keyPrefix)
  return options
}

/**
 * Returns a function that connects the client. An app may call the client's `connect()` after that, which usually
 * rejects if the client is open. From then on it resolves to the existing connection.
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
 * A node over a `redis` client (node-redis), for services on Node that share locks with Workers. It opens the
 * connection at its first call, unless you have called `client.connect()`. From then on, `connect()` resolves to the
 * existing connection. Do not await `connect()`: while the server is down, it waits forever, but the node fails
 * immediately. A client that has given up, as with `reconnectStrategy: false`, connects again at the next call. A
 * command is handed over only while the client is connected, so that none is sent later.
 *
 * @param options.name - Identifies the node in reports, and orders the nodes. If other clients reach the same server
 *   over REST, pass the URL that they use, so that all agree on the order. Default: `redis://host:port/database`.
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
    // The raw command, since a client may map the types of replies. The signal removes a command that has not been
    // written yet from the queue of the client.
    send: async (command, abortSignal) =>
      withIntegers(await client.sendCommand([...command], { abortSignal, typeMapping })),
  })
}
