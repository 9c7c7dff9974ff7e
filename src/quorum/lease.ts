import type { Settings } from '../options/resolve-options.ts'
import { locks, type Namespace } from '../protocol/keys.ts'
import { lockScript, type Operation, type ScriptCall } from '../protocol/script.ts'

/** How many requests a call may still send. */
export type Allowance = { left: number }

/** What takes the work that goes on after a call has returned. That work never rejects. */
export type WaitUntil = (work: Promise<unknown>) => void

/** One value on one set of keys: what an attempt asks for, and a lock then holds. */
export type Claim = {
  readonly settings: Settings
  readonly namespace: Namespace
  readonly keys: readonly string[]
  readonly value: string
  /** What the holder says of itself; may be empty. */
  readonly metadata: string
  /** Ms that it is to live. */
  readonly ttl: number
  readonly allowance: Allowance
  /**
   * By node: how many requests went there that may have made it hold the claim. Those that it has
   * refused do not count.
   */
  readonly open: number[]
  readonly waitUntil: WaitUntil | undefined
}

// Ms after its release in which an acquire may still arrive, and is to grant nothing.
const tombstoneLife = 60_000

type About = Pick<Claim, 'keys' | 'value' | 'metadata' | 'waitUntil' | 'ttl'>

/** A claim to locks that any node may hold already, for one call. */
export const lockClaim = (settings: Settings, about: About): Claim => ({
  settings,
  namespace: locks,
  allowance: { left: settings.budget },
  open: settings.nodes.map(() => 1),
  ...about,
})

/** The step of a claim as a call. */
export const callOf = (
  { settings: { prefix }, namespace, keys, value, metadata, allowance }: Claim,
  operation: Operation,
  ttl: number,
  fence: number,
): ScriptCall => {
  const names: string[] = []
  for (const key of keys) for (const kind of namespace) names.push(prefix + kind + key)
  names.push(`${prefix}x:${value}`)
  return {
    script: lockScript,
    keys: names,
    args: [
      operation,
      metadata ? `${value} ${metadata}` : value,
      `${operation === 'r' ? tombstoneLife : ttl}`,
      `${namespace.length}`,
      `${Math.floor(fence)}`,
    ],
    onResend: () => allowance.left--,
  }
}

/** Hands on work that goes on after the call, as far as the runtime lets it. */
export const defer = (waitUntil: WaitUntil | undefined, work: Promise<void>): void => {
  // It did not throw at the door. It may now, when the request is long over.
  try {
    waitUntil?.(work)
  } catch {}
}

/** Whether there is enough left for another round, and to give back what it brings. */
export const isAffordable = ({ allowance, open }: Claim): boolean =>
  allowance.left >= 2 * open.length

/**
 * Ms until a request is cancelled. Opening a connection over TLS takes three round trips, and a request
 * that is cancelled meanwhile throws them away: the next one would begin anew.
 */
export const requestTimeoutOf = ({ nodeTimeout = 2000 }: Settings): number => nodeTimeout

/** Ms for which an answer is waited for: a lock with half of its ttl gone is of little use. */
export const timeoutOf = ({ nodeTimeout }: Settings, ttl: number): number =>
  nodeTimeout ?? Math.min(2000, ttl / 2)

/**
 * A validity that began with a stopwatch, before the first send. What it returns reads how many ms
 * of `ttl` are left for sure: less the time since, less what the clocks of nodes and client may
 * drift apart.
 */
export const validityOf =
  ({ driftFactor }: Settings, ttl: number, elapsed: () => number): (() => number) =>
  () =>
    ttl * (1 - driftFactor) - 2 - elapsed()
