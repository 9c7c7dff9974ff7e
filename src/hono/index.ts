/**
 * Lock and throttle middleware for Hono.
 *
 * @module edge-redlock/hono
 */
export type { WaitUntil } from '../options/call-options.ts'
export type { RefusalReason, RequestRefusal } from '../http/refusals.ts'
export type { PerRequest, RequestKey, RequestOptions } from '../http/request-options.ts'
export type { LockVariables } from './lock-variable.ts'
export { lock, type LockOptions } from './lock.ts'
export { throttle, type ThrottleOptions } from './throttle.ts'
