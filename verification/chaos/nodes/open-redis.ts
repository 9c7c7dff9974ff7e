import { Redis } from 'ioredis'

/** Opens a client for a few commands. Its commands fail immediately if the server is unreachable. */
export const openRedis = (port: number): Redis => {
  const redis = new Redis({ host: '127.0.0.1', port, retryStrategy: null })
  redis.on('error', () => {})
  return redis
}
