/**
 * Lock and throttle middleware for Hono.
 *
 * @module
 */
export type { PerRequest, RequestKey, RequestOptions } from './context.ts'
export { lock, type LockOptions, type LockVariables } from './lock.ts'
export type { OnRefusal, RefusalOptions } from './response.ts'
export { throttle, type ThrottleOptions } from './throttle.ts'
