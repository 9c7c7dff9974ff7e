/**
 * Idempotent requests: one of all requests with the same key is processed, and the others get its answer.
 *
 * @module edge-redlock/idempotency
 */
export type { LockVariables } from '../hono/adapter.ts'
export type { PlatformFunction } from '../fetch/adapter.ts'
export { canonicalJson, type PayloadForm } from './canonical-json.ts'
export { d1Store, type D1Store } from '../stores/d1-store.ts'
export { idempotent, type IdempotentOptions } from './idempotent.ts'
export { type AppDefaults, type AppLocks, locks } from './locks.ts'
export { kvStore } from '../stores/kv-store.ts'
export { forget } from '../once/forget.ts'
export { once } from '../once/once.ts'
export type { Codec, ForgetOptions, OnceOptions } from '../once/options.ts'
export {
  isNotRecordedError,
  NotRecordedError,
  type NotRecordedReason,
} from '../once/not-recorded-error.ts'
export { isReplayedError, ReplayedError, type ReplayedFailure } from '../once/replayed-error.ts'
export { r2Store } from '../stores/r2-store.ts'
export { type BodyStore, bodyStore } from '../stores/body-store.ts'
export { type Problem, problem } from '../http/problem-details.ts'
export type { RequestRefusal } from '../http/refusals.ts'
export { toResponse } from '../http/to-response.ts'
export { type IdempotencyOptions, withIdempotency } from './with-idempotency.ts'
