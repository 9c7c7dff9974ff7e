/**
 * Idempotent requests: of all requests with one key one is processed, and the others get
 * its answer.
 *
 * @module
 */
export type { LockVariables } from '../hono/lock-variable.ts'
export type { PlatformFunction } from '../fetch/adapter.ts'
export type { PerRequest } from '../http/request-options.ts'
export type { WaitUntil } from '../options/call-options.ts'
export { d1Store, type D1DatabaseLike, type D1Store } from './d1-store.ts'
export { idempotent, type IdempotentOptions } from './idempotent.ts'
export { kvStore, type KvNamespace } from './kv-store.ts'
export { r2Store, type R2BucketLike } from './r2-store.ts'
export type { BodyStore } from './body-store.ts'
export type { RefusalReason, RequestRefusal } from '../http/refusals.ts'
export { type IdempotencyOptions, withIdempotency } from './with-idempotency.ts'
