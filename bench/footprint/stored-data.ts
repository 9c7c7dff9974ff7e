import { Redis } from 'ioredis'
import type { Address } from '../../verification/comparison/nodes.ts'

/** A key that a server stores: its kind, and the ms that it has left, or -1 if it never expires. */
type StoredKey = { readonly name: string; readonly kind: string; readonly left: number }

/** The data that one server stores. */
export type StoredData = {
  /**
   * The memory of the server without the buffers of its connections. It contains keys, values and their tables, and a
   * constant part.
   */
  readonly bytes: () => Promise<number>
  readonly keys: () => Promise<StoredKey[]>
  readonly remove: (keys: readonly StoredKey[]) => Promise<void>
  /** Removes everything except the cached scripts. */
  readonly clear: () => Promise<void>
  readonly close: () => void
}

// Keys of one command.
const chunk = 1_000

/** The kinds of keys that this project uses; all keys of other libraries are locks. */
const kindOf = (name: string): string => {
  const [, kind = 'lock'] = /^lock:([a-z]:|id$|run$)/.exec(name) ?? []
  return { 'l:': 'lock', 'f:': 'fence', 't:': 'throttle', 'x:': 'tombstone' }[kind] ?? kind
}

const sumOf = (text: string, pattern: RegExp): number =>
  [...text.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0)

export const openData = ({ host, port }: Address): StoredData => {
  const redis = new Redis({ host, port })
  const bytes = async (): Promise<number> => {
    // In sequence, so that neither reply is in the buffers while the other is written.
    const memory = await redis.info('memory')
    const clients = String(await redis.client('LIST'))
    return sumOf(memory, /^used_memory:(\d+)/gm) - sumOf(clients, / tot-mem=(\d+)/g)
  }
  return {
    bytes,
    keys: async () => {
      const keys: StoredKey[] = []
      for await (const names of redis.scanStream({ count: chunk })) {
        const pipeline = redis.pipeline()
        for (const name of names as string[]) pipeline.pttl(name)
        const lives = (await pipeline.exec())!
        for (const [index, name] of (names as string[]).entries()) {
          const left = Number(lives[index]![1])
          // It has expired meanwhile.
          if (left !== -2) keys.push({ name, kind: kindOf(name), left })
        }
      }
      return keys
    },
    remove: async (keys) => {
      for (let index = 0; index < keys.length; index += chunk) {
        await redis.del(...keys.slice(index, index + chunk).map(({ name }) => name))
      }
    },
    clear: async () => void (await redis.flushall('SYNC')),
    close: () => redis.disconnect(),
  }
}
