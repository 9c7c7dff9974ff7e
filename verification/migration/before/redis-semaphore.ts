import type { Redis } from 'ioredis'
import { RedlockMutex } from 'redis-semaphore'

export const runReport = async (clients: Redis[], make: () => Promise<string>) => {
  const options = { lockTimeout: 5_000, acquireTimeout: 1_000 }
  const mutex = new RedlockMutex(clients, 'report', options)
  await mutex.acquire()
  try {
    return await make()
  } finally {
    await mutex.release()
  }
}
