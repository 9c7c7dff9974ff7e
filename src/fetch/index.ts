/**
 * Lock and throttle for functions without a framework, as on Workers, Vercel and Lambda.
 *
 * @module edge-redlock/fetch
 */
export { type Problem, problem } from '../http/problem-details.ts'
export type { RequestRefusal } from '../http/refusals.ts'
export { toResponse } from '../http/to-response.ts'
export type { PlatformFunction } from './adapter.ts'
export { type LockOptions, withLock } from './with-lock.ts'
export { type ThrottleOptions, withThrottle } from './with-throttle.ts'
