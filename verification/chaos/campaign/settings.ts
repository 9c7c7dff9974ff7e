import type { RestNodeOptions } from '../../../src/index.ts'
import type { Kind } from './history.ts'

// The figures of a campaign, in one place. Times in ms.

/** The nodes. Those that forget are declared volatile, and abstain after each start. */
export const nodes = [
  { name: 'a', isPersistent: true },
  { name: 'b', isPersistent: true },
  { name: 'c', isPersistent: true },
  { name: 'd', isPersistent: false },
  { name: 'e', isPersistent: false },
] as const

/** The processes that clients live in. Who may be paused writes only where a guard is. */
export const processes = [
  { name: 'node-1', runtime: 'node', clients: 12, mayPause: false },
  { name: 'node-2', runtime: 'node', clients: 12, mayPause: false },
  { name: 'node-3', runtime: 'node', clients: 12, mayPause: false },
  { name: 'node-4', runtime: 'node', clients: 12, mayPause: true },
  { name: 'workerd', runtime: 'workerd', clients: 16, mayPause: false },
] as const
export type ProcessName = (typeof processes)[number]['name']

/** What all clients fight for: half of it where a guard is. */
export const keys: readonly { readonly name: string; readonly kind: Kind }[] = [
  1, 2, 3, 4, 5,
].flatMap((number) =>
  (['guarded', 'plain'] as const).map((kind) => ({ name: `${kind}-${number}`, kind })),
)

export const ttl = 2000
export const driftFactor = 0.01
export const quarantine = Math.max(ttl * (1 + driftFactor), 11_000)

/** By how many ms the clock of a server may be put on with no promise broken: the drift is more. */
export const nudge = 15
/** By how many it leaps, when nobody promises that two do not hold a lock; tokens differ even so. */
export const leap = [100, 4000] as const

/** How long clients run before anything is measured. */
export const warmUp = 3000

/** How long a client waits for a lock that others want. */
export const wait = 4000

/** Between two tries; a little more than usual, for the sake of a small machine. */
export const retry = { minDelay: 100, maxDelay: 400 }

/** What a client waits between two operations, and between its read and its write. */
export const thinking = [400, 1200] as const
export const working = [1, 25] as const

/** Shares of the operations: who sleeps around the end of its lock, who extends it. */
export const sleepers = 0.05
export const extenders = 0.1

/** What a process of clients is told: how it reaches the nodes and the store. */
export type ClientSettings = {
  readonly nodes: readonly Required<Pick<RestNodeOptions, 'url' | 'token' | 'volatile'>>[]
  readonly store: { readonly url: string; readonly token: string }
}
