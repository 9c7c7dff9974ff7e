import { createRedlock, IoredisAdapter, type Lock } from 'redlock-universal'
import { tcpClient } from '../transports.ts'
import type { Contestant } from './contestant.ts'

/** redlock-universal's distributed lock over ioredis, one per key, as in its README. */
export const redlockUniversal: Contestant = {
  name: 'redlock-universal',
  folder: 'redlock-universal',
  lacks: {
    signal: 'acquire takes no AbortSignal',
    'several keys': 'acquireBatch works on one node, not on a quorum',
    metadata: 'a lock carries nothing but a random value',
    slots: 'a lock has one holder',
  },
  redisKey: (key) => key,
  timeoutBy: 'timeout of its adapter',
  resends: 0,
  unit: 1,
  open: async ({ nodes, ttl, retries, timeout, quorum }) => {
    const clients = await Promise.all(nodes.map((node) => tcpClient(node, undefined)))
    const adapters = clients.map((client) => new IoredisAdapter(client, timeout ? { timeout } : {}))
    const locks = new Map<string, Lock>()
    const lockOf = (key: string): Lock => {
      const known = locks.get(key)
      if (known) return known
      const settings = { adapters, key, ttl, retryAttempts: retries }
      const lock = createRedlock(quorum ? { ...settings, quorum } : settings)
      locks.set(key, lock)
      return lock
    }
    return {
      acquire: async ([key]) => {
        const lock = lockOf(key!)
        const handle = await lock.acquire()
        return {
          extend: (time) => lock.extend(handle, time),
          release: () => lock.release(handle),
        }
      },
      run: (key, routine) => lockOf(key).using((signal) => routine(() => signal.aborted)),
      close: () => {
        for (const client of clients) client.disconnect()
      },
    }
  },
}
