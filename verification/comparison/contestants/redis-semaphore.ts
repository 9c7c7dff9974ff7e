import { RedlockMutex, RedlockSemaphore } from 'redis-semaphore'
import { tcpClient } from '../transports.ts'
import { type Contestant, Declined } from './contestant.ts'

/**
 * redis-semaphore's RedlockMutex, and its RedlockSemaphore for several holders. A mutex is for one key, so a
 * session keeps one per key.
 */
export const redisSemaphore: Contestant = {
  name: 'redis-semaphore',
  folder: 'redis-semaphore',
  lacks: {
    quorum: 'no quorum option, always the majority',
    'several keys': 'one key per mutex',
    metadata: 'a lock carries nothing but its identifier',
  },
  redisKey: (key) => `mutex:${key}`,
  timeoutBy: 'commandTimeout of ioredis',
  resends: 0,
  unit: 1,
  open: async ({ nodes, ttl, retries, timeout }) => {
    const clients = await Promise.all(nodes.map((node) => tcpClient(node, timeout)))
    const options = {
      lockTimeout: ttl,
      acquireTimeout: 2000,
      acquireAttemptsLimit: retries + 1,
    }
    const mutexes = new Map<string, RedlockMutex>()
    const mutexOf = (key: string): RedlockMutex => {
      const known = mutexes.get(key)
      if (known) return known
      // Without automatic refresh, because the case decides whether a lock is extended.
      const mutex = new RedlockMutex(clients, key, { ...options, refreshInterval: 0 })
      mutexes.set(key, mutex)
      return mutex
    }
    return {
      acquire: async ([key], { signal } = {}) => {
        const mutex = mutexOf(key!)
        if (!(await mutex.tryAcquire(signal))) throw new Declined('tryAcquire resolved to false')
        const { identifier } = mutex
        return {
          // The pattern of the README for extending a lock that is held.
          extend: (time) =>
            new RedlockMutex(clients, key!, {
              identifier,
              acquiredExternally: true,
              lockTimeout: time,
              refreshInterval: 0,
            }).tryAcquire(),
          release: () => mutex.release(),
        }
      },
      run: async (key, routine) => {
        let isLost = false
        const mutex = new RedlockMutex(clients, key, {
          ...options,
          refreshInterval: Math.round(ttl / 3),
          onLockLost: () => (isLost = true),
        })
        await mutex.acquire()
        try {
          return await routine(() => isLost || !mutex.isAcquired)
        } finally {
          await mutex.release()
        }
      },
      acquireSlot: async (key, limit) => {
        const semaphore = new RedlockSemaphore(clients, key, limit, {
          ...options,
          refreshInterval: 0,
        })
        if (!(await semaphore.tryAcquire())) throw new Declined('tryAcquire resolved to false')
        return { extend: () => semaphore.tryAcquire(), release: () => semaphore.release() }
      },
      close: () => {
        for (const client of clients) client.disconnect()
      },
    }
  },
}
