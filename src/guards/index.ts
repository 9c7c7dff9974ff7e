/**
 * Guards check fencing tokens, so that a holder that has lost its lock can no longer write.
 *
 * @module edge-redlock/guards
 */
export { fenced, fenceHeaders, type FenceVariables } from './fenced.ts'
export { type Guard, isStaleTokenError, StaleTokenError } from './guard.ts'
export { memoryGuard } from './memory-guard.ts'
export { redisGuard, type RedisGuard } from './redis-guard.ts'
export { sqlGuard, type SqlGuard } from './sql-guard.ts'
