import { storePauses } from '../../core/retry/times.ts'
import { waitingFor } from '../../core/retry/waiting.ts'
import { sleep, systemClock } from '../../util/clock.ts'
import { assertOption, checkFunction } from '../../util/validate.ts'
import { encode, fromBase64, sha256, toBase64 } from '../../util/bytes.ts'

/** The ID of a body in the store, and its hash for verification. */
type StoredBody = { readonly id: string; readonly sha256: string }

/** The functions that your own store must provide. */
export type OwnStore = {
  /** Stores a body under a new ID, for at least `ttl` ms. */
  readonly put: (id: string, body: Uint8Array<ArrayBuffer>, ttl: number) => Promise<unknown>
  /** Reads a body; undefined or null if there is none. */
  readonly get: (id: string) => Promise<Uint8Array<ArrayBuffer> | null | undefined>
}

/** Stores bodies that are too large for Redis: `kvStore`, `r2Store`, `d1Store`, or your own `bodyStore`. */
export type BodyStore = {
  /**
   * Stores a body for `ttl` ms. If the store fails or takes longer than `limit` ms, resolves to undefined instead of
   * rejecting, so that the request does not run again.
   */
  readonly write: (
    bytes: Uint8Array<ArrayBuffer>,
    ttl: number,
    limit: number,
  ) => Promise<StoredBody | undefined>
  /** Reads a body; undefined if the store does not return it within `limit` ms. */
  readonly read: (stored: StoredBody, limit: number) => Promise<Uint8Array<ArrayBuffer> | undefined>
}

/** Checks that an option is a store. */
export const checkStore = (option: string, store: unknown): void => {
  const isStore = typeof (Object(store) as BodyStore).write === 'function'
  assertOption(
    isStore,
    option,
    'a store, such as kvStore(binding) or bodyStore({ put, get })',
    store,
  )
}

/** Rejects if the work takes longer than `limit` ms. */
const within = async <T>(limit: number, work: T | PromiseLike<T>): Promise<T> => {
  const done = new AbortController()
  const timeout = sleep(systemClock, limit, done.signal).then(() => {
    throw new Error('The store timed out')
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    done.abort()
  }
}

/**
 * Uses your own store for bodies that are too large for Redis. The record on the nodes contains the ID and the SHA-256
 * of the body. So a store can lose a body or lag behind, but the wrong body is never replayed.
 *
 * @throws `TypeError` if a function is missing.
 * @example
 * ```ts
 * const kept = new Map<string, Uint8Array<ArrayBuffer>>()
 * const store = bodyStore({
 *   put: async (id, body, ttl) => void kept.set(id, body),
 *   get: async (id) => kept.get(id),
 * })
 * ```
 */
export const bodyStore = (own: OwnStore): BodyStore => {
  checkFunction('put', own?.put)
  checkFunction('get', own.get)
  return {
    write: async (bytes, ttl, limit) => {
      const stored = { id: crypto.randomUUID(), sha256: await sha256(bytes) }
      const put = async (): Promise<unknown> => own.put(stored.id, bytes, ttl)
      try {
        await within(limit, put().catch(put))
        return stored
      } catch {
        return undefined
      }
    },
    read: async ({ id, sha256: digest }, limit) => {
      const { left, pause } = waitingFor(systemClock, limit)
      for (const ms of storePauses) {
        await pause(ms)
        const rest = left()
        if (rest <= 0) break
        try {
          const bytes = await within(rest, own.get(id))
          if (bytes && (await sha256(bytes)) === digest) return bytes
        } catch {
          // Try again in the next iteration.
        }
      }
      return undefined
    },
  }
}

/** A body in the content of a record. */
export type RecordedBody = {
  /** The body in base64. */
  readonly body?: string
  /** The body in the store. */
  readonly stored?: StoredBody | undefined
  /** True if the body was not kept. */
  readonly isDropped?: true
}

// The maximum size of a record in the JSON of a node's reply, in bytes. Replies are limited to 64 KiB.
const maxContent = 56_000

/** Whether a node can return a record with this content: as a string in the JSON of its reply. */
export const fitsReply = (content: string): boolean =>
  encode(JSON.stringify(content)).length <= maxContent

/** The limits that decide where a body is stored. */
export type BodyLimits = {
  /** The maximum size of a body on the nodes, in bytes. */
  readonly maxInline: number
  readonly store: BodyStore | undefined
  /** Returns the maximum ms to wait for the store. */
  readonly patience: () => number
  /** How long to keep a body, in ms. */
  readonly recordTtl: number
}

/** Stores a body in its record or, if it is too large for that, in the store. */
export const writeBody = async (
  bytes: Uint8Array<ArrayBuffer>,
  { maxInline, store, patience, recordTtl }: BodyLimits,
): Promise<RecordedBody> => {
  if (bytes.length <= maxInline) return { body: toBase64(bytes) }
  const stored = await store?.write(bytes, recordTtl, patience())
  return stored ? { stored } : { isDropped: true }
}

/**
 * Reads a stored body; undefined if the store does not return it now.
 *
 * @param patience - The maximum ms to wait for the store.
 */
export const readBody = async (
  { body = '', stored }: RecordedBody,
  store: BodyStore | undefined,
  patience: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> =>
  stored ? store?.read(stored, patience) : fromBase64(body)
