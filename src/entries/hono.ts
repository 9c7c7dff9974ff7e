/**
 * Lock and throttle middleware for Hono.
 *
 * @module edge-redlock/hono
 */
export { type Problem, problem } from '../requests/problem-details.ts'
export type { RequestRejection } from '../requests/rejections.ts'
export { toResponse } from '../requests/to-response.ts'
export type { LockVariables } from '../adapters/hono/adapter.ts'
export { lock, type LockOptions } from '../adapters/hono/lock.ts'
export { type AppDefaults, type AppLocks, locks } from '../adapters/hono/locks.ts'
export { throttle, type ThrottleOptions } from '../adapters/hono/throttle.ts'
