/**
 * Guards check fencing tokens, so that a holder that has lost its lock can no longer write.
 *
 * @module edge-redlock/guards
 */
export { fenced, type FencedOptions, fenceHeaders, type FenceVariables } from './fenced.ts'
export { type Guard, isStaleTokenError, StaleTokenError } from './guard.ts'
export { memoryGuard } from './memory-guard.ts'
export { type RedisEval, redisGuard, type RedisGuard } from './redis-guard.ts'
export { sqlGuard, type SqlGuard, type SqlGuardOptions, type SqlStatement } from './sql-guard.ts'
