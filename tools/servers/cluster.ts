import { randomBytes } from 'node:crypto'
import { gateway } from '../../src/entries/gateway.ts'
import { embeddedServer } from './embedded-server.ts'
import { ioredisBackend } from './ioredis.ts'
import {
  type Engine,
  findRedisServer,
  type RedisServer,
  type ServerControls,
  startRedis,
} from './redis.ts'
import { serve } from './serve.ts'

// The commands that tests and tools run. The list is needed because the gateway does not allow all of them by default,
// and because the embedded engine does not support COMMAND INFO.
const allow = (
  'EVAL EVALSHA SCRIPT SUBSCRIBE PSUBSCRIBE PUBLISH PUBSUB KEYS SCAN FLUSHALL DBSIZE INFO PING ECHO TIME ' +
  'GET SET MGET MSET DEL EXISTS TYPE RENAME PTTL TTL PEXPIRE EXPIRE PERSIST INCR DECR INCRBY STRLEN APPEND GETDEL ' +
  'LPUSH RPUSH LPOP LLEN LRANGE SADD SCARD SMEMBERS HSET HGET HGETALL HDEL ZADD ZCARD ZRANGE ZREM ZPOPMIN ZSCORE'
).split(' ')

/** An independent Redis behind its own gateway. `redis` is undefined for the embedded engine. */
export type ClusterNode = {
  readonly url: string
  readonly token: string
  readonly redis?: RedisServer
  readonly controls: ServerControls
  readonly stop: () => Promise<void>
}

/** Several nodes. Pass `env` to `fromEnv` to use them. `close` ends all processes. */
export type Cluster = {
  readonly nodes: readonly ClusterNode[]
  readonly engine: Engine | 'ioredis-mock'
  readonly env: { readonly REDLOCK_NODES: string }
  readonly close: () => Promise<void>
}

/** The maximum number of nodes. Each node is a process, so a larger number is likely a mistake. */
export const maxNodes = 50

type Settings = NonNullable<Parameters<typeof startRedis>[0]>['settings']

const startNode = async (isEmbedded: boolean, settings: Settings): Promise<ClusterNode> => {
  const redis = isEmbedded ? undefined : await startRedis({ settings })
  const { backend, controls } = redis
    ? { backend: ioredisBackend({ host: '127.0.0.1', port: redis.port }), controls: redis }
    : embeddedServer()
  const token = randomBytes(24).toString('base64url')
  const server = await serve(gateway({ token, allow, ...backend }).fetch)
  const stop = async (): Promise<void> => {
    await server.close(0)
    await backend.close()
    await redis?.stop()
  }
  const url = `http://127.0.0.1:${server.port}`
  return { url, token, ...(redis && { redis }), controls, stop }
}

/**
 * Starts `count` separate Redis servers on free ports of the loopback interface, each behind a separate gateway with a
 * separate token. If neither redis-server nor valkey-server is installed, or with `engine: 'embedded'`, the servers run
 * inside this process. `settings` are additional settings of each redis-server.
 *
 * @throws if a server does not start. The other servers are then stopped.
 * @example
 * ```ts
 * const cluster = await startCluster({ count: 5 })
 * const redlock = fromEnv(cluster.env)
 * await cluster.close()
 * ```
 */
export const startCluster = async ({
  count = 5,
  engine = 'auto',
  settings,
}: {
  count?: number
  engine?: 'auto' | 'embedded'
  settings?: Settings
} = {}): Promise<Cluster> => {
  if (!Number.isInteger(count) || count < 1 || count > maxNodes) {
    throw new RangeError(`\`count\` must be from 1 to ${maxNodes} nodes, got ${count}`)
  }
  const found = engine === 'auto' ? findRedisServer() : undefined
  const started = await Promise.allSettled(
    Array.from({ length: count }, () => startNode(found === undefined, settings)),
  )
  const nodes = started.flatMap((node) => (node.status === 'fulfilled' ? [node.value] : []))
  const close = async (): Promise<void> => {
    await Promise.all(nodes.map(({ stop }) => stop()))
  }
  const failed = started.find((node) => node.status === 'rejected')
  if (failed) {
    await close()
    throw failed.reason
  }
  const listed = nodes.map(({ url, token }) => ({ url, token }))
  return {
    nodes,
    engine: found?.engine ?? 'ioredis-mock',
    env: { REDLOCK_NODES: JSON.stringify(listed) },
    close,
  }
}

/** Describes the servers of the nodes in one line. */
export const describeEngine = ({ nodes, engine }: Cluster): string =>
  engine === 'ioredis-mock'
    ? `No redis-server or valkey-server found: ${nodes.length} nodes on the embedded engine, in memory, each behind its own gateway`
    : `${nodes.length} separate ${engine} processes, each behind its own gateway`
