import { stopwatch } from './clock.ts'
import { locks, type Namespace } from './keys.ts'
import { lockScript, type Operation, type ScriptCall } from './scripts.ts'
import type { Settings } from './settings.ts'

/** How many requests a call may still send. */
export type Allowance = { left: number }

/** One value on one set of keys: what an attempt asks for, and a lock then holds. */
export type Claim = Settings & {
  readonly namespace: Namespace
  readonly keys: readonly string[]
  readonly value: string
  /** What the holder says of itself; may be empty. */
  readonly metadata: string
  /** What the fence counters are to reach where it is granted. */
  readonly fence?: number
  readonly allowance: Allowance
  /**
   * By node: how many requests went there that may have made it hold the claim. Those that it has
   * refused do not count.
   */
  readonly open: number[]
  /** Is handed the work that goes on after a call has returned. That work never rejects. */
  readonly waitUntil: (work: Promise<unknown>) => void
}

// Ms after its release in which an acquire may still arrive, and is to grant nothing.
const tombstoneLife = 60_000

/** A claim to locks that any node may hold already, for one call. */
export const lockClaim = (
  settings: Settings,
  about: Pick<Claim, 'keys' | 'value' | 'metadata' | 'waitUntil'> & { readonly ttl?: number },
): Claim => ({
  ...settings,
  namespace: locks,
  allowance: { left: settings.budget },
  open: settings.nodes.map(() => 1),
  ...about,
})

/** The step of a claim as a call. */
export const callOf = (
  { prefix, namespace, keys, value, metadata, ttl, fence = 0, allowance }: Claim,
  operation: Operation,
): ScriptCall => {
  const time = operation === 'r' ? tombstoneLife : ttl
  const names = keys.flatMap((key) => namespace.map((kind) => prefix + kind + key))
  return {
    script: lockScript,
    keys: [...names, `${prefix}x:${value}`],
    args: [
      operation,
      metadata ? `${value} ${metadata}` : value,
      `${time}`,
      `${namespace.length}`,
      `${Math.floor(fence)}`,
    ],
    onResend: () => allowance.left--,
  }
}

/** Hands on work that goes on after the call, as far as the runtime lets it. */
export const defer = ({ waitUntil }: Claim, work: Promise<void>): void => {
  // It did not throw at the door. It may now, when the request is long over.
  try {
    waitUntil(work)
  } catch {}
}

/** Whether there is enough left for another round, and to give back what it brings. */
export const isAffordable = ({ allowance, nodes }: Claim): boolean =>
  allowance.left >= 2 * nodes.length

/** Ms for one node's whole answer. */
export const timeoutOf = ({ nodeTimeout, ttl }: Claim): number =>
  nodeTimeout ?? Math.min(500, ttl / 2)

/**
 * Starts a validity, before the first send. What it returns reads how many ms of `ttl` are left
 * for sure: less the time since, less what the clocks of nodes and client may drift apart.
 */
export const startValidity = ({ clock, driftFactor }: Settings, ttl: number): (() => number) => {
  const elapsed = stopwatch(clock)
  return () => ttl * (1 - driftFactor) - 2 - elapsed()
}
