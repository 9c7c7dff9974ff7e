/**
 * Lock, throttle and idempotent requests for Express, Fastify and `node:http`.
 *
 * @module edge-redlock/node
 */
export { type Problem, problem } from '../http/problem-details.ts'
export type { RequestRefusal } from '../http/refusals.ts'
export { toResponse } from '../http/to-response.ts'
export type { BodyStore } from '../stores/body-store.ts'
export type { NodeMiddleware } from './adapter.ts'
export type { NodeRequest, NodeResponse } from './exchange.ts'
export { idempotent, type IdempotentOptions } from './idempotent.ts'
export { lock, type LockOptions } from './lock.ts'
export { lockOf } from './request-lock.ts'
export { throttle, type ThrottleOptions } from './throttle.ts'
