/**
 * Locks, throttles and idempotent requests for Express, Fastify and `node:http`.
 *
 * @module edge-redlock/node
 */
export { type Problem, problem } from '../requests/problem-details.ts'
export type { RequestRejection } from '../requests/rejections.ts'
export { toResponse } from '../requests/to-response.ts'
export type { BodyStore } from '../idempotency/stores/body-store.ts'
export type { NodeMiddleware } from '../adapters/node/adapter.ts'
export type { NodeRequest, NodeResponse } from '../adapters/node/exchange.ts'
export { idempotent, type IdempotentOptions } from '../adapters/node/idempotent.ts'
export { lock, type LockOptions } from '../adapters/node/lock.ts'
export { lockOf } from '../adapters/node/request-lock.ts'
export { throttle, type ThrottleOptions } from '../adapters/node/throttle.ts'
