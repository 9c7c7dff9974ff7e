/**
 * A distributed lock on a majority of independent, REST-reachable Redis servers.
 *
 * @module
 */
export type { Refusal } from './attempt.ts'
export type {
  AcquireOptions,
  AcquireResult,
  ThrottleOptions,
  ThrottleResult,
  TryAcquireOptions,
  UsingOptions,
} from './calls.ts'
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
export type { LockEvent } from './events.ts'
export type { Inspection } from './inspect.ts'
export type { KeepAliveOptions } from './keep-alive.ts'
export { lockKey } from './keys.ts'
export type { Lock, ReleaseResult } from './lock.ts'
export type { LockNode } from './nodes/node.ts'
export { restNode, type RestNodeOptions } from './nodes/rest.ts'
export { type UpstashClient, upstashNode } from './nodes/upstash.ts'
export { Redlock } from './redlock.ts'
export type { Retry, RetryFunction, RetryOptions } from './retry.ts'
export type { Operation, Script, ScriptCall } from './scripts.ts'
export type { SerializedLock } from './serialized.ts'
export type { RedlockOptions } from './options.ts'
export {
  exponentialDelay,
  fixedDelay,
  fullJitter,
  limitAttempts,
  linearDelay,
  noRetry,
  notBeforeFree,
} from './strategies.ts'
