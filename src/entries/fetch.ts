/**
 * Locks and throttles for functions without a framework, such as those on Workers, Vercel and Lambda.
 *
 * @module edge-redlock/fetch
 */
export { type Problem, problem } from '../requests/problem-details.ts'
export type { RequestRejection } from '../requests/rejections.ts'
export { toResponse } from '../requests/to-response.ts'
export type { PlatformFunction } from '../adapters/fetch/adapter.ts'
export { type LockOptions, withLock } from '../adapters/fetch/with-lock.ts'
export { type ThrottleOptions, withThrottle } from '../adapters/fetch/with-throttle.ts'
