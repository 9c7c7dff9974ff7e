import { Redis } from 'ioredis'
import type { HistoryEvent } from '../campaign/events.ts'
import { now } from '../campaign/history.ts'
import * as settings from '../campaign/settings.ts'

// Reads the remaining lifetimes of locks from each Redis server once a second, without waiting for servers that do not
// reply.

type Server = { readonly name: string; readonly port: number }

// The default prefix of clients, and the namespace of locks.
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

/** Records the longest lifetime on each server, until `end` is called. */
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
