import { checkText } from '../../protocol/keys.ts'
import { checkFunction, checkOptions } from '../../util/validate.ts'
import { type BodyStore, bodyStore } from './body-store.ts'

/** The methods of a Cloudflare R2 bucket that the store calls. */
export type R2BucketLike = {
  readonly put: (name: string, value: ArrayBuffer) => Promise<unknown>
  readonly get: (
    name: string,
  ) => Promise<{ readonly arrayBuffer: () => Promise<ArrayBuffer> } | null>
}

/**
 * Stores large bodies in R2. R2 does not delete them automatically: add a lifecycle rule to the bucket that deletes
 * objects with this prefix after `recordTtl` plus one day.
 *
 * @param options.prefix - The prefix of the object keys. Default: `idempotency/`.
 * @example
 * ```ts
 * idempotent({ redlock, scope, store: (c) => r2Store(c.env.BUCKET) })
 * ```
 */
export const r2Store = (bucket: R2BucketLike, options: { prefix?: string } = {}): BodyStore => {
  checkOptions('r2Store()', options, 'prefix')
  const { prefix = 'idempotency/' } = options
  checkFunction('bucket.put', bucket?.put)
  checkFunction('bucket.get', bucket?.get)
  checkText('prefix', prefix)
  return bodyStore({
    put: (id, body) => bucket.put(prefix + id, body.buffer),
    get: async (id) => {
      const object = await bucket.get(prefix + id)
      return object && new Uint8Array(await object.arrayBuffer())
    },
  })
}
