/**
 * A distributed lock on a majority of independent, REST-reachable Redis servers.
 *
 * @module
 */
export type { Refusal } from './attempt.ts'
export type { Clock } from './clock.ts'
export {
  isLockedError,
  isLockLostError,
  isQuorumError,
  LockedError,
  LockLostError,
  type NodeReport,
  type NodeStatus,
  QuorumError,
} from './errors.ts'
export { lockKey } from './keys.ts'
export type { Lock, ReleaseResult } from './lock.ts'
export type { LockNode } from './nodes/node.ts'
export { restNode, type RestNodeOptions } from './nodes/rest.ts'
export { type UpstashClient, upstashNode } from './nodes/upstash.ts'
export {
  type AcquireOptions,
  type AcquireResult,
  Redlock,
  type ThrottleOptions,
  type ThrottleResult,
  type TryAcquireOptions,
  type UsingOptions,
} from './redlock.ts'
export type { Retry, RetryFunction, RetryOptions } from './retry.ts'
export type { Operation, Script, ScriptCall } from './scripts.ts'
export type { RedlockOptions } from './settings.ts'
