import { checkText } from '../../protocol/keys.ts'
import { checkFunction, checkOptions } from '../../util/validate.ts'
import { type BodyStore, bodyStore } from './body-store.ts'

/** The methods of a Cloudflare KV namespace that the store calls. */
export type KvNamespace = {
  readonly put: (
    name: string,
    value: ArrayBuffer,
    options: { expirationTtl: number },
  ) => Promise<unknown>
  readonly get: (name: string, type: 'arrayBuffer') => Promise<ArrayBuffer | null>
}

// The shortest `expirationTtl` that KV accepts, in seconds.
const minLife = 60

/**
 * Stores large bodies in Workers KV, which deletes them automatically. A body can take a minute to appear in other
 * locations. Until then, a repeated request there receives a 503 with `Retry-After`.
 *
 * @param options.prefix - The prefix of the KV keys. Default: `idempotency/`.
 * @example
 * ```ts
 * idempotent({ redlock, scope, store: (c) => kvStore(c.env.ANSWERS) })
 * ```
 */
export const kvStore = (kv: KvNamespace, options: { prefix?: string } = {}): BodyStore => {
  checkOptions('kvStore()', options, 'prefix')
  const { prefix = 'idempotency/' } = options
  checkFunction('kv.put', kv?.put)
  checkFunction('kv.get', kv?.get)
  checkText('prefix', prefix)
  return bodyStore({
    put: (id, body, ttl) =>
      kv.put(prefix + id, body.buffer, {
        expirationTtl: Math.max(minLife, Math.ceil(ttl / 1000)),
      }),
    get: async (id) => {
      const body = await kv.get(prefix + id, 'arrayBuffer')
      return body && new Uint8Array(body)
    },
  })
}
