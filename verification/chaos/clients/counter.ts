import { Redis } from '@upstash/redis'
import { redisGuard } from '../../../src/guards/index.ts'
import type { Entry } from '../campaign/history.ts'
import type { ClientSettings } from '../campaign/settings.ts'

/**
 * A counter in the store that nothing protects but the lock: one reads it, and later writes what it
 * read, plus one. It is kept as a list of all values it ever had, whose last one counts. So a write
 * that overwrites what its writer has not seen does so, as SET would, and can be seen afterwards.
 */
export type Counter = {
  readonly read: () => Promise<Entry | undefined>
  readonly write: (entry: Entry) => Promise<void>
}

export type Store = {
  readonly plain: (key: string) => Counter
  /** Reads and writes by the guard, so that from the read on older holders are shut out. */
  readonly guarded: (key: string, token: number) => Counter
}

const parse = (text: unknown): Entry | undefined =>
  typeof text === 'string' ? (JSON.parse(text) as Entry) : undefined

/** The store, as clients of any runtime reach it. */
export const makeStore = ({ url, token }: ClientSettings['store']): Store => {
  const redis = new Redis({
    url,
    token,
    automaticDeserialization: false,
    enableAutoPipelining: false,
    enableTelemetry: false,
    responseEncoding: false,
    // A write that is repeated would be two.
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
