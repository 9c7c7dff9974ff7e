import type { ServerFacts } from './check-reply.ts'
import type { KeyCommand } from './command.ts'

/** The owner holds the keys. The reply to a successful acquire, extend, acquire-slot or prepare. */
export type Granted = {
  readonly status: 'granted'
  /** The highest of the fence counters. */
  readonly counter: number
  /** The remaining TTL of the keys before the command, in ms. */
  readonly ttl?: number | undefined
  /** The number of the granted slot, counted from 1. */
  readonly slot?: number | undefined
  /** The holder of each slot before the command; null for a free slot. */
  readonly holders?: readonly (string | null)[] | undefined
}

/** The node has carried out a command of another kind, each of which has its own status. */
export type Done = {
  /**
   * - `held`: the owner holds the inspected keys;
   * - `released`: the owner held the keys;
   * - `accepted`: the key holds the record;
   * - `forgotten`: the holder was removed from a key.
   */
  readonly status: 'held' | 'released' | 'accepted' | 'forgotten'
  readonly counter: number
  /** The remaining TTL of the keys before the command, in ms. */
  readonly ttl?: number | undefined
}

/** Another owner holds a key, or the key holds a record. */
export type Locked = {
  readonly status: 'locked'
  /**
   * The first eight bytes of the owner's value; the rest is a secret. For slots, the holder whose slot becomes free
   * first; undefined if another slot than the requested one is free.
   */
  readonly holder?: string | undefined
  /** The text stored with the value: the metadata of the holder, or the record. */
  readonly metadata?: string | undefined
  readonly counter: number
  /** Ms until the key expires; for slots, until the first slot can become free. */
  readonly ttl?: number | undefined
  readonly holders?: readonly (string | null)[] | undefined
}

/** A key holds data that is not a lock, or a lock that never expires. */
export type Foreign = {
  readonly status: 'foreign'
  readonly counter: number
  /** Ms until the key expires; undefined if it never does. */
  readonly ttl?: number | undefined
  readonly holders?: readonly (string | null)[] | undefined
}

/** A key is missing, or this owner has already released. */
export type Absent = {
  readonly status: 'absent'
  readonly counter: number
  readonly ttl?: number | undefined
  /** Whether this owner was the last holder and was removed by a forced release. */
  readonly wasForced?: boolean | undefined
}

/** The node does not vote, because its server restarted recently or cannot rule that out. */
export type Abstains = {
  readonly status: 'abstains'
  readonly because: 'restarted' | 'TIME' | 'run_id'
  /** Ms until the node votes again. */
  readonly ttl?: number | undefined
}

/** The reply to `join` and `leave`. */
export type Queued = { readonly status: 'queued'; readonly isFree: boolean }

/** The reply to `check`. */
export type Checked = { readonly status: 'checked'; readonly facts: ServerFacts }

/** A node's reply to a command, with the ID of the server. */
export type Reply = (Granted | Done | Locked | Foreign | Absent | Abstains | Queued | Checked) & {
  /** The ID of the server. Two URLs for the same server share one vote. */
  readonly server?: string | undefined
}

/** The status of the reply to each command that was carried out. */
export const doneStatus: Readonly<Record<KeyCommand['op'], Granted['status'] | Done['status']>> = {
  acquire: 'granted',
  'acquire-slot': 'granted',
  extend: 'granted',
  prepare: 'granted',
  inspect: 'held',
  release: 'released',
  accept: 'accepted',
  forget: 'forgotten',
}

/**
 * Takes the place of a holder if a key holds data that is not a lock. Shorter than any holder, so it cannot be confused
 * with one.
 */
export const foreign = 'foreign'

/** The public part of an owner's value, which identifies the holder. */
export const idOf = (owner: string): string => owner.slice(0, 8)

/** Splits the public text of an owner into the beginning of the value and the text stored with the value. */
export const splitHolder = (
  text: string,
): { readonly holder: string; readonly metadata: string | undefined } => {
  const end = `${text} `.indexOf(' ')
  return { holder: text.slice(0, end), metadata: text.slice(end + 1) || undefined }
}

/** The first eight bytes of a text. */
export const beginOf = (text: string): string =>
  new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, 8))
