/**
 * Idempotent requests: of all requests with the same key, one is processed, and the others receive its response.
 *
 * @module edge-redlock/idempotency
 */
export type { LockVariables } from '../adapters/hono/adapter.ts'
export type { PlatformFunction } from '../adapters/fetch/adapter.ts'
export { canonicalJson, type PayloadForm } from '../idempotency/canonical-json.ts'
export { d1Store, type D1Store } from '../idempotency/stores/d1-store.ts'
export { idempotent, type IdempotentOptions } from '../adapters/hono/idempotent.ts'
export { type AppDefaults, type AppLocks, locks } from '../adapters/hono/locks-with-idempotent.ts'
export { kvStore } from '../idempotency/stores/kv-store.ts'
export { forget } from '../idempotency/once/forget.ts'
export { once } from '../idempotency/once/once.ts'
export type { Codec, ForgetOptions, OnceOptions } from '../idempotency/once/options.ts'
export {
  isNotRecordedError,
  NotRecordedError,
  type NotRecordedReason,
} from '../idempotency/once/not-recorded-error.ts'
export {
  isReplayedError,
  ReplayedError,
  type ReplayedFailure,
} from '../idempotency/once/replayed-error.ts'
export { r2Store } from '../idempotency/stores/r2-store.ts'
export { type BodyStore, bodyStore } from '../idempotency/stores/body-store.ts'
export { type Problem, problem } from '../requests/problem-details.ts'
export type { RequestRejection } from '../requests/rejections.ts'
export { toResponse } from '../requests/to-response.ts'
export { type IdempotencyOptions, withIdempotency } from '../adapters/fetch/with-idempotency.ts'
