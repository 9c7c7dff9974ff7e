import { createRequire } from 'node:module'
import Redlock from 'redlock-4'
import { tcpClient } from '../transports.ts'
import type { Contestant } from './contestant.ts'

type Using = <T, R>(resource: PromiseLike<T>, routine: (lock: T) => Promise<R>) => Promise<R>

// The README passes the disposer to bluebird's `using`; this is the package's own bluebird.
const own = createRequire(createRequire(import.meta.url).resolve('redlock-4'))
const { using } = own('bluebird') as { using: Using }

/** redlock 4.2.0, which `npm install redlock` installs. */
export const redlock4: Contestant = {
  name: 'redlock 4',
  folder: 'redlock-4',
  lacks: {
    quorum: 'no quorum option, always the majority',
    signal: 'acquire takes no AbortSignal',
    'extends itself': 'no automatic extension',
    metadata: 'a lock carries nothing but a random value',
    slots: 'a lock has one holder',
  },
  redisKey: (key) => key,
  timeoutBy: 'commandTimeout of ioredis',
  resends: 0,
  unit: 1,
  open: async ({ nodes, ttl, retries, timeout }) => {
    const clients = await Promise.all(nodes.map((node) => tcpClient(node, timeout)))
    const redlock = new Redlock(clients, { retryCount: retries })
    redlock.on('clientError', () => {})
    return {
      acquire: async (keys) => {
        const lock = await redlock.lock(keys, ttl)
        return {
          extend: async (time) => {
            await lock.extend(time)
            return true
          },
          release: () => lock.unlock(),
          left: () => lock.expiration - Date.now(),
        }
      },
      run: (key, routine) =>
        using(
          redlock.disposer(key, ttl, () => {}),
          () => routine(() => false),
        ),
      close: () => {
        for (const client of clients) client.disconnect()
      },
    }
  },
}
