/**
 * A distributed lock on a majority of independent, REST-reachable Redis servers.
 *
 * @module edge-redlock
 */
export type { AcquireResult, ThrottleResult } from './core/lock/acquire.ts'
export { adopt } from './client/adopt.ts'
export {
  forceRelease,
  type ForcedRelease,
  type ForceReleaseOptions,
} from './client/force-release.ts'
export { inspect, type Inspection, type InspectOptions } from './client/inspect.ts'
export type { Lock } from './core/lock/lock.ts'
export { serialize, type SerializedLock } from './core/lock/serialized-lock.ts'
export { ttlOf } from './client/ttl-of.ts'
export { ioredisNode } from './redis/ioredis-node.ts'
export type { LockNode, Quarantine } from './protocol/node.ts'
export { nodeRedisNode } from './redis/node-redis-node.ts'
export { restNode, type RestNodeOptions } from './redis/rest-node.ts'
export { upstashNode } from './redis/upstash-node.ts'
export { withKeyLocking } from './redis/with-key-locking.ts'
export type {
  AcquireOptions,
  ThrottleOptions,
  TryAcquireOptions,
  UsingOptions,
} from './core/options/call-options.ts'
export type { RedlockOptions } from './core/options/redlock-options.ts'
export { lockKey } from './protocol/keys.ts'
export { quarantine, type QuarantineOptions } from './redis/quarantine/quarantine.ts'
export { fromEnv, Redlock, withKeyNames } from './client/redlock.ts'
export { type SlotRedlock, withSlots } from './client/slots/with-slots.ts'
export {
  inspectSlots,
  type InspectSlotsOptions,
  type SlotsInspection,
} from './client/slots/inspect-slots.ts'
export { throttle } from './client/throttle.ts'
export type { Tracer } from './client/tracing/tracer.ts'
export { withTracing } from './client/tracing/with-tracing.ts'
export { withWakeUp } from './client/wake-up/with-wake-up.ts'
export {
  isLockedError,
  isLockLostError,
  isQuorumError,
  LockedError,
  LockLostError,
  QuorumError,
} from './core/results/errors.ts'
export type { LockEvent } from './core/results/events.ts'
export type { NodeReport } from './core/results/node-report.ts'
export type { Rejection, ReleaseResult } from './core/results/results.ts'
export type { Retry } from './core/retry/retry.ts'
export type { Clock } from './util/clock.ts'
