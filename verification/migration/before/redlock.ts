import type { Redis } from 'ioredis'
import Redlock from 'redlock-5'

export const runReport = async (clients: Redis[], make: () => Promise<string>) => {
  const redlock = new Redlock(clients, { retryCount: 5, retryDelay: 100 })
  redlock.on('error', () => {})
  return redlock.using(['report'], 5_000, async (signal) => {
    const report = await make()
    if (signal.aborted) throw signal.error
    return report
  })
}
