import { assertOption, checkOptions } from '../util/validate.ts'
import type { LockNode, Quarantine } from '../protocol/node.ts'
import { noKeyPrefix, tcpNode } from './tcp-node.ts'

/** The members of an `ioredis` client that a node uses. */
export type IoredisClient = {
  readonly status: string
  connect(): Promise<unknown>
  call(command: string, ...args: string[]): Promise<unknown>
  on(event: string, listener: (...args: unknown[]) => void): unknown
}

type IoredisInternals = {
  readonly isCluster?: boolean
  readonly options?: {
    readonly host?: string
    readonly port?: number
    readonly path?: string
    readonly db?: number
    readonly password?: string | null
    readonly sentinels?: unknown
    readonly keyPrefix?: string
    readonly stringNumbers?: boolean
    readonly enableOfflineQueue?: boolean
    readonly maxRetriesPerRequest?: number | null
  }
}

/** Rejects clients that could send a command late, or that would change the names of keys. */
const checkClient = (redis: IoredisClient): Required<IoredisInternals>['options'] => {
  const isClient = typeof redis?.call === 'function' && typeof redis.status === 'string'
  assertOption(isClient, 'redis', 'an ioredis client', redis)
  const { isCluster, options = {} } = redis as IoredisInternals
  const { enableOfflineQueue, maxRetriesPerRequest, keyPrefix, stringNumbers } = options
  assertOption(!isCluster, 'redis', 'a client of one server, not of a cluster', redis)
  assertOption(!keyPrefix, 'keyPrefix', noKeyPrefix, keyPrefix)
  assertOption(!stringNumbers, 'stringNumbers', 'unset', stringNumbers)
  assertOption(
    enableOfflineQueue === false && maxRetriesPerRequest === 0,
    'redis',
    'a client that never sends commands late: redis.duplicate({ enableOfflineQueue: false, maxRetriesPerRequest: 0 })',
    redis,
  )
  return options
}

/**
 * A node that uses an `ioredis` client, for services on Node.js that share locks with Workers. The node needs a
 * separate client, with `enableOfflineQueue: false` and `maxRetriesPerRequest: 0`. With other settings, ioredis could
 * send an acquire long after its call has failed. While the server is down, the node fails immediately.
 *
 * @param options.name - Identifies the node in reports, and orders the nodes. If other clients reach the same server
 *   over REST, pass their URL, so that all clients agree on the order. Default: `redis://host:port/db`.
 * @param options.volatile - `quarantine()` if the server may lose writes when it restarts.
 * @throws `TypeError` if `redis` is not an ioredis client with these settings, is a cluster client, or has a
 *   `keyPrefix`.
 * @example
 * ```ts
 * const own = { enableOfflineQueue: false, maxRetriesPerRequest: 0 }
 * const node = ioredisNode(redis.duplicate(own), { name: 'https://eu1-caring-owl-1.upstash.io' })
 * ```
 */
export const ioredisNode = (
  redis: IoredisClient,
  options: { name?: string; volatile?: Quarantine | false } = {},
): LockNode => {
  checkOptions('ioredisNode()', options, 'name, volatile')
  const { host, port, path, db = 0, password, sentinels } = checkClient(redis)
  const address = path ?? (host && port && !sentinels ? `${host}:${port}` : undefined)
  const name = options.name ?? (address && `redis://${address}/${db}`)
  assertOption(
    typeof name === 'string' && name,
    'name',
    'a string, unless the client has an address',
    name,
  )
  return tcpNode({
    client: redis,
    name,
    volatile: options.volatile,
    password: password ?? undefined,
    isReady: () => redis.status === 'ready',
    open: () => {
      // A client with `lazyConnect` connects only when asked to. Its events report any failure.
      if (redis.status === 'wait') redis.connect().catch(() => {})
      if (redis.status === 'end') throw new Error('not connected: the client is closed')
      return undefined
    },
    send: ([command, ...args]) => redis.call(command!, ...args),
  })
}
