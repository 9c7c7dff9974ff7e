import { Redis } from '@upstash/redis'
import { redisGuard } from '../../../src/entries/guards.ts'
import type { Entry } from '../campaign/events.ts'
import type { ClientSettings } from '../campaign/settings.ts'

/**
 * A counter in the store that only the lock protects: a client reads the counter, and later writes the next value. The
 * store keeps a list of all values, and the last one is current. So a write can overwrite values that its writer has
 * not seen, as SET would, but the checker can detect this.
 */
export type Counter = {
  readonly read: () => Promise<Entry | undefined>
  readonly write: (entry: Entry) => Promise<void>
}

export type Store = {
  readonly plain: (key: string) => Counter
  /** Reads and writes through the guard, so that even a read excludes earlier holders. */
  readonly guarded: (key: string, token: number) => Counter
}

const parse = (text: unknown): Entry | undefined =>
  typeof text === 'string' ? (JSON.parse(text) as Entry) : undefined

/** The store, for clients on any runtime. */
export const makeStore = ({ url, token }: ClientSettings['store']): Store => {
  const redis = new Redis({
    url,
    token,
    automaticDeserialization: false,
    enableAutoPipelining: false,
    enableTelemetry: false,
    responseEncoding: false,
    // Do not retry: a repeated write would append a second value.
    retry: false,
  })
  const guard = redisGuard(redis)
  return {
    plain: (key) => ({
      read: async () => parse(await redis.lindex(key, -1)),
      write: async (entry) => void (await redis.rpush(key, JSON.stringify(entry))),
    }),
    guarded: (key, token) => {
      const run = (...command: string[]): Promise<unknown> => guard.run(key, token, command, [key])
      return {
        read: async () => parse(await run('LINDEX', key, '-1')),
        write: async (entry) => void (await run('RPUSH', key, JSON.stringify(entry))),
      }
    },
  }
}
