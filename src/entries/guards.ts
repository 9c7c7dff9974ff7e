/**
 * Guards, which check fencing tokens so that a holder that has lost its lock can no longer write.
 *
 * @module edge-redlock/guards
 */
export { fenced, fenceHeaders, type FenceVariables } from '../guards/fenced.ts'
export { type Guard, isStaleTokenError, StaleTokenError } from '../guards/guard.ts'
export { memoryGuard } from '../guards/memory-guard.ts'
export { redisGuard, type RedisGuard } from '../guards/redis-guard.ts'
export { sqlGuard, type SqlGuard } from '../guards/sql-guard.ts'
