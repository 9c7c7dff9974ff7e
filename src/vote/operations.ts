import type { Operation as Letter, Script } from '../protocol/script.ts'

/** An operation of the scripts, and what it means for the nodes that are asked. */
export type Operation = {
  readonly letter: Letter
  /** Whether a node that refuses it cannot hold the lease. */
  readonly writes?: boolean
  /** Whether a node may hold the lease as soon as it was asked. */
  readonly locks?: boolean
  /** Whether a node may hold the lease again, although it was not asked yet. */
  readonly restores?: boolean
  /** Whether it ends the lease, so that each node that may hold it has to be asked. */
  readonly frees?: boolean
}

export const acquiring: Operation = { letter: 'a', writes: true, locks: true }
export const completing: Operation = { letter: 'c', writes: true }
export const extending: Operation = { letter: 'e', writes: true, restores: true }
export const inspecting: Operation = { letter: 'i' }
export const releasing: Operation = { letter: 'r', frees: true }

/** Another script than that of locks, and its argument. */
export type Request = {
  readonly script: Script
  readonly argument: string
  /** Whether nodes name the holders of all slots, even where they grant one. */
  readonly namesHolders?: boolean
}
