import type { RestNodeOptions } from '../../../src/index.ts'

// The constants of a campaign. Times in ms.

/** The nodes. Nodes without persistence are declared volatile, and abstain after each start. */
export const nodes = [
  { name: 'a', isPersistent: true },
  { name: 'b', isPersistent: true },
  { name: 'c', isPersistent: true },
  { name: 'd', isPersistent: false },
  { name: 'e', isPersistent: false },
] as const

/**
 * The client processes, and their distance to all nodes: the delay each way. Processes that can be paused write only to
 * counters with a guard. Clients of bursts are not included.
 */
export const processes = [
  { name: 'node-1', runtime: 'node', clients: 12, mayPause: false, distance: 0 },
  { name: 'node-2', runtime: 'node', clients: 12, mayPause: false, distance: 0 },
  { name: 'node-3', runtime: 'node', clients: 12, mayPause: false, distance: 0 },
  { name: 'node-4', runtime: 'node', clients: 12, mayPause: true, distance: 0 },
  { name: 'workerd', runtime: 'workerd', clients: 16, mayPause: false, distance: 0 },
  { name: 'far', runtime: 'node', clients: 0, mayPause: false, distance: 340 },
] as const
export type ProcessName = (typeof processes)[number]['name']

/** A key whose counter has a guard, a key whose counter has none, or a key that only one client uses. */
export type CounterKind = 'guarded' | 'plain' | 'private'

/** A key with a counter, a key with several slots, or the key of a burst. */
export type KeyKind = CounterKind | 'slots' | 'burst'

/** The keys that all clients compete for. */
export const keys: readonly { readonly name: string; readonly kind: CounterKind }[] = [
  1, 2, 3, 4, 5,
].flatMap((number) =>
  (['guarded', 'plain'] as const).map((kind) => ({ name: `${kind}-${number}`, kind })),
)

/** The keys with a limit. */
export const slotKeys = [
  { name: 'slots-2', limit: 2 },
  { name: 'slots-3', limit: 3 },
] as const

/** One in `slotTurn` operations acquires a slot. */
export const slotTurn = 6
/** How long a client keeps a slot, in ms. */
export const slotTime = [50, 700] as const

export const ttl = 2000
export const driftFactor = 0.01
/** The maximum TTL and the maximum drift factor of any client. */
export const maxTtl = 4000
const maxDriftFactor = 0.5
export const quarantine = Math.max(maxTtl * (1 + maxDriftFactor), 11_000)

/** The maximum step of a server's clock that `driftFactor` covers, so that all guarantees hold. */
export const clockNudge = 15
/** The range of clock jumps, during which exclusion is not guaranteed. Tokens must be unique even then. */
export const clockJump = [100, 4000] as const

/** How long clients run before measurements start. */
export const warmUp = 3000

/** How long a client waits for a lock. */
export const wait = 4000

/** Retry delays that are slightly longer than the defaults, for small machines. */
export const retry = { delay: 100, maxDelay: 400 }

/** The pauses of a client: between two operations, and between the read and the write of one. */
export const thinkTime = [400, 1200] as const
export const workTime = [1, 25] as const

/** The fraction of operations that sleep until around the end of the lock, and the fraction that extend it. */
export const sleeperShare = 0.05
export const extenderShare = 0.1

/**
 * Bursts: clients of several processes make one call each for the same key at the same moment. The winner keeps its
 * lock alive. With a high `driftFactor`, little of the TTL is left for an extension.
 *
 * A distant client calls alone. Its round trip leaves even less time.
 */
export const bursts = {
  interval: 500,
  sizes: [2, 2, 3, 5, 10],
  clientsPerProcess: 2,
  leases: [
    { ttl: 2000, driftFactor },
    { ttl: 1000, driftFactor },
    { ttl: maxTtl, driftFactor: maxDriftFactor },
  ],
  farLease: { ttl: maxTtl, driftFactor: maxDriftFactor },
  /** The number of bursts per lock of the distant client. */
  farShare: 3,
  hold: [500, 3000],
  /** A client that is later than this skips the burst. */
  maxLate: 50,
} as const

/** How a client process reaches the nodes and the store. */
export type ClientSettings = {
  readonly nodes: readonly (Required<Pick<RestNodeOptions, 'url' | 'token'>> & {
    readonly isVolatile: boolean
  })[]
  readonly store: { readonly url: string; readonly token: string }
}
