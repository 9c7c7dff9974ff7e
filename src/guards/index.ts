/**
 * Guards: they keep a holder that has lost its lock from writing, by its fencing token.
 *
 * @module
 */
export { fenced, type FencedOptions, fenceHeaders, type FenceVariables } from './http.ts'
export { memoryGuard } from './memory.ts'
export { type RedisEval, redisGuard, type RedisGuard } from './redis.ts'
export { sqlGuard, type SqlGuard, type SqlGuardOptions, type SqlStatement } from './sql.ts'
export { type Guard, isStaleTokenError, StaleTokenError } from './stale.ts'
