import { Redlock as Sesamecare } from '@sesamecare-oss/redlock'
import Redlock from 'redlock-5'
import { tcpClient } from '../transports.ts'
import type { Contestant } from './contestant.ts'

type Attempt = { readonly votesAgainst: ReadonlyMap<unknown, Error> }

/** The name of the error, and the names of the errors of all votes, which the README reads from `attempts`. */
const reasonOf = async (error: unknown): Promise<string> => {
  const { name, attempts } = error as Error & { attempts?: readonly Promise<Attempt>[] }
  const votes = new Set<string>()
  for (const attempt of attempts ?? []) {
    for (const { name } of (await attempt).votesAgainst.values()) votes.add(name)
  }
  return [name, ...votes].join(' with attempts[].votesAgainst ')
}

const contestant = (name: string, folder: string, Class: typeof Sesamecare): Contestant => ({
  name,
  folder,
  lacks: {
    quorum: 'no quorum option, always the majority',
    signal: 'acquire takes no AbortSignal',
    metadata: 'a lock carries nothing but a random value',
    slots: 'a lock has one holder',
  },
  redisKey: (key) => key,
  timeoutBy: 'commandTimeout of ioredis',
  resends: 0,
  unit: 1,
  reasonOf,
  open: async ({ nodes, ttl, retries, timeout }) => {
    const clients = await Promise.all(nodes.map((node) => tcpClient(node, timeout)))
    // `using` requires at most the TTL minus 100 ms; a third of the TTL is as good as the default.
    const automaticExtensionThreshold = Math.min(500, Math.floor(ttl / 3))
    const redlock = new Class(clients, { retryCount: retries, automaticExtensionThreshold })
    redlock.on('error', () => {})
    return {
      acquire: async (keys) => {
        let lock = await redlock.acquire([...keys], ttl)
        return {
          extend: async (time) => {
            lock = await lock.extend(time)
            return true
          },
          release: () => lock.release(),
          left: () => lock.expiration - Date.now(),
        }
      },
      run: (key, routine) => redlock.using([key], ttl, (signal) => routine(() => signal.aborted)),
      close: () => {
        for (const client of clients) client.disconnect()
      },
    }
  },
})

/** redlock 5.0.0-beta.2, the newest published version. */
export const redlock5 = contestant('redlock 5', 'redlock-5', Redlock)

/** A fork of redlock 5 with the same API. */
export const sesamecare = contestant('sesamecare', '@sesamecare-oss/redlock', Sesamecare)
