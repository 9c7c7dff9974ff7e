/**
 * Lock and throttle middleware for Hono.
 *
 * @module edge-redlock/hono
 */
export { type Problem, problem } from '../http/problem-details.ts'
export type { RequestRefusal } from '../http/refusals.ts'
export { toResponse } from '../http/to-response.ts'
export type { LockVariables } from './adapter.ts'
export { lock, type LockOptions } from './lock.ts'
export { type AppDefaults, type AppLocks, locks } from './locks.ts'
export { throttle, type ThrottleOptions } from './throttle.ts'
