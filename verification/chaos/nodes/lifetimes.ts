import { Redis } from 'ioredis'
import { type HistoryEvent, now } from '../campaign/history.ts'
import * as settings from '../campaign/settings.ts'

// How long locks are to live yet, as the servers have it: asked from outside, once a second, of
// Redis itself. A server that does not answer is not waited for.

type Server = { readonly name: string; readonly port: number }

// As clients have it by default: the prefix, and the namespace of locks.
const lockKeys = settings.keys.map(({ name }) => `lock:l:${name}`)

const open = (port: number): Redis => {
  const redis = new Redis({
    host: '127.0.0.1',
    port,
    lazyConnect: true,
    enableReadyCheck: false,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 500,
    retryStrategy: () => 500,
  })
  redis.on('error', () => {})
  redis.connect().catch(() => {})
  return redis
}

/** Writes down what the servers say, until its end. */
export const watchLifetimes = (
  servers: readonly Server[],
  write: (event: HistoryEvent) => void,
): { readonly end: () => void } => {
  const clients = servers.map(({ name, port }) => ({ name, redis: open(port) }))
  const look = async (name: string, redis: Redis): Promise<void> => {
    const left = await Promise.all(lockKeys.map((key) => redis.pttl(key)))
    write({ type: 'lifetimes', at: now(), node: name, longest: Math.max(...left) })
  }
  const timer = setInterval(() => {
    for (const { name, redis } of clients) {
      if (redis.status === 'ready') look(name, redis).catch(() => {})
    }
  }, 1000)
  return {
    end: () => {
      clearInterval(timer)
      for (const { redis } of clients) redis.disconnect()
    },
  }
}
