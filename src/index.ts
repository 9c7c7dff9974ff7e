/**
 * A distributed lock on a majority of independent, REST-reachable Redis servers.
 *
 * @module edge-redlock
 */
export type { AcquireResult, ThrottleResult } from './acquire/acquire.ts'
export { adopt } from './adopt.ts'
export { forceRelease, type ForcedRelease, type ForceReleaseOptions } from './force-release.ts'
export { inspect, type Inspection, type InspectOptions } from './inspect.ts'
export type { Lock } from './lock/lock.ts'
export { serialize, type SerializedLock } from './lock/serialized-lock.ts'
export { ttlOf } from './lock/ttl-of.ts'
export { ioredisNode } from './nodes/ioredis-node.ts'
export type { LockNode, Quarantine } from './nodes/node.ts'
export { nodeRedisNode } from './nodes/node-redis-node.ts'
export { restNode, type RestNodeOptions } from './nodes/rest-node.ts'
export { upstashNode } from './nodes/upstash-node.ts'
export { withKeyLocking } from './nodes/with-key-locking.ts'
export type {
  AcquireOptions,
  ThrottleOptions,
  TryAcquireOptions,
  UsingOptions,
} from './options/call-options.ts'
export type { RedlockOptions } from './options/redlock-options.ts'
export { lockKey } from './protocol/keys.ts'
export { quarantine, type QuarantineOptions } from './quarantine/quarantine.ts'
export { fromEnv, Redlock, withKeyNames } from './redlock.ts'
export { type SlotRedlock, withSlots } from './slots/with-slots.ts'
export {
  inspectSlots,
  type InspectSlotsOptions,
  type SlotsInspection,
} from './slots/inspect-slots.ts'
export { throttle } from './throttle.ts'
export type { Tracer } from './tracing/tracer.ts'
export { withTracing } from './tracing/with-tracing.ts'
export { withWakeUp } from './wake-up/with-wake-up.ts'
export {
  isLockedError,
  isLockLostError,
  isQuorumError,
  LockedError,
  LockLostError,
  QuorumError,
} from './reports/errors.ts'
export type { LockEvent } from './reports/events.ts'
export type { NodeReport } from './reports/node-report.ts'
export type { Refusal, ReleaseResult } from './reports/results.ts'
export type { Retry } from './retry/retry.ts'
export type { Clock } from './util/clock.ts'
