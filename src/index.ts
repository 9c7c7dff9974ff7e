/**
 * A distributed lock on a majority of independent, REST-reachable Redis servers.
 *
 * @module edge-redlock
 */
export type { AcquireResult, ThrottleResult } from './acquire/results.ts'
export { adopt } from './adopt.ts'
export { inspect, type Inspection } from './inspect.ts'
export type { Lock } from './lock/lock.ts'
export type { SerializedLock } from './lock/serialized-lock.ts'
export { type IoredisClient, ioredisNode } from './nodes/ioredis-node.ts'
export type { LockNode, Volatile } from './nodes/node.ts'
export { type NodeRedisClient, nodeRedisNode } from './nodes/node-redis-node.ts'
export { restNode, type RestNodeOptions } from './nodes/rest-node.ts'
export { type UpstashClient, upstashNode } from './nodes/upstash-node.ts'
export type {
  AcquireOptions,
  ThrottleOptions,
  TryAcquireOptions,
  UsingOptions,
} from './options/call-options.ts'
export type { KeepAliveOptions } from './options/keep-alive-options.ts'
export type { AdvancedOptions, RedlockOptions } from './options/redlock-options.ts'
export { lockKey } from './protocol/keys.ts'
export type { Script } from './protocol/script.ts'
export { Redlock } from './redlock.ts'
export { type SlotOptions, type SlotRedlock, withSlots } from './slots/with-slots.ts'
export type { Tracer } from './tracing/tracer.ts'
export { type TracingOptions, withTracing } from './tracing/with-tracing.ts'
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
export type { NodeReport, NodeStatus } from './reports/node-report.ts'
export type { Refusal, ReleaseResult } from './reports/results.ts'
export type { Retry, RetryFunction, RetryOptions, RetryState } from './retry/retry.ts'
export type { Clock } from './util/clock.ts'
