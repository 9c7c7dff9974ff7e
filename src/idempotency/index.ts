/**
 * Idempotent requests: of all requests with one key one is processed, and the others get
 * its answer.
 *
 * @module
 */
export type { LockVariables } from '../hono/lock-variable.ts'
export type { PlatformFunction } from '../fetch/adapter.ts'
export { d1Store, type D1Store } from './d1-store.ts'
export { idempotent, type IdempotentOptions } from './idempotent.ts'
export { kvStore } from './kv-store.ts'
export { r2Store } from './r2-store.ts'
export type { BodyStore } from './body-store.ts'
export type { RequestRefusal } from '../http/refusals.ts'
export { type IdempotencyOptions, withIdempotency } from './with-idempotency.ts'
