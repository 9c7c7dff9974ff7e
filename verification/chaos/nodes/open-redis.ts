import { Redis } from 'ioredis'

/** Opens a client for a few commands. It fails at once if the server is not reachable. */
export const openRedis = (port: number): Redis => {
  const redis = new Redis({ host: '127.0.0.1', port, retryStrategy: null })
  redis.on('error', () => {})
  return redis
}
