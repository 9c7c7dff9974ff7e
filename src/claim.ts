import { stopwatch } from './clock.ts'
import type { Namespace } from './keys.ts'
import { lockScript, type Operation, type ScriptCall } from './scripts.ts'
import type { Settings } from './settings.ts'

/** One value on one set of keys: what an attempt asks for, and a lock then holds. */
export type Claim = {
  readonly settings: Settings
  readonly namespace: Namespace
  readonly keys: readonly string[]
  readonly value: string
  /** Ms. */
  readonly ttl: number
  /** Is handed the work that goes on after a call has returned. That work never rejects. */
  readonly waitUntil: (work: Promise<unknown>) => void
}

/**
 * The step of a claim as a call. `time` is the ttl in ms; for a release it is the life of the
 * tombstone, by default as long as a grant that comes late would live, at most a minute.
 */
export const callOf = (
  claim: Claim,
  operation: Operation,
  time: number = claim.ttl,
): ScriptCall => {
  const { settings, namespace, keys, value } = claim
  const life = operation === 'r' ? Math.min(time, 60_000) : time
  return {
    script: lockScript,
    keys: [...keys.map((key) => settings.prefix + namespace + key), `${settings.prefix}x:${value}`],
    args: [operation, value, String(life)],
  }
}

/** Ms for one node's whole answer. */
export const timeoutOf = ({ settings, ttl }: Claim): number =>
  settings.nodeTimeout ?? Math.min(500, ttl / 2)

/**
 * Starts a validity, before the first send. What it returns reads how many ms of `ttl` are left
 * for sure: less the time since, less what the clocks of nodes and client may drift apart.
 */
export const startValidity = ({ clock, driftFactor }: Settings, ttl: number): (() => number) => {
  const elapsed = stopwatch(clock)
  return () => ttl * (1 - driftFactor) - 2 - elapsed()
}
