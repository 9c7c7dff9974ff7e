import type { ServerFacts } from './check-reply.ts'
import type { KeyCommand } from './command.ts'

/** The owner holds the keys: the reply to acquire, extend, acquire-slot and prepare. */
export type Granted = {
  readonly status: 'granted'
  /** The highest fence counter of the keys. */
  readonly counter: number
  /** Ms that the keys had left before. */
  readonly ttl?: number | undefined
  /** The number of the slot that was granted, from 1. */
  readonly slot?: number | undefined
  /** The holder of each slot as it was before; null for a free one. */
  readonly holders?: readonly (string | null)[] | undefined
}

/** Another command was carried out. Each command has a separate status. */
export type Done = {
  /**
   * - `held`: the owner holds the keys that were inspected;
   * - `released`: the owner held the keys;
   * - `accepted`: the key holds the record;
   * - `forgotten`: the holder held a key, and was removed.
   */
  readonly status: 'held' | 'released' | 'accepted' | 'forgotten'
  readonly counter: number
  /** Ms that the keys had left before. */
  readonly ttl?: number | undefined
}

/** Another owner holds a key, or the key holds a record. */
export type Locked = {
  readonly status: 'locked'
  /**
   * The first eight bytes of the owner's value: the rest is a secret. For slots, the holder whose slot becomes free
   * first; undefined if a slot is free that the command did not ask for.
   */
  readonly holder?: string | undefined
  /** The text that is stored with the value: the metadata of the holder, or the record. */
  readonly metadata?: string | undefined
  readonly counter: number
  /** Ms until the key expires; for slots, until the first one can become free. */
  readonly ttl?: number | undefined
  readonly holders?: readonly (string | null)[] | undefined
}

/** A key holds no lock, or one that never expires. */
export type Foreign = {
  readonly status: 'foreign'
  readonly counter: number
  /** Ms until the key expires; undefined if it never does. */
  readonly ttl?: number | undefined
  readonly holders?: readonly (string | null)[] | undefined
}

/** A key is missing, or this owner has released before. */
export type Absent = {
  readonly status: 'absent'
  readonly counter: number
  readonly ttl?: number | undefined
  /** Whether the owner of the command was the last holder, and was released by force. */
  readonly wasForced?: boolean | undefined
}

/** The node does not vote: its server restarted recently, or cannot prove that it did not. */
export type Abstains = {
  readonly status: 'abstains'
  readonly because: 'restarted' | 'TIME' | 'run_id'
  /** Ms until it votes again. */
  readonly ttl?: number | undefined
}

/** The reply to `join` and `leave`. */
export type Queued = { readonly status: 'queued'; readonly isFree: boolean }

/** The reply to `check`. */
export type Checked = { readonly status: 'checked'; readonly facts: ServerFacts }

/** The reply of a node to a command, and the ID of its server. */
export type Reply = (Granted | Done | Locked | Foreign | Absent | Abstains | Queued | Checked) & {
  /** Distinguishes servers: two URLs of one server have one vote. */
  readonly server?: string | undefined
}

/** The status of the reply to a command that was carried out. */
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

/** Replaces a holder if the key of a slot holds no lock. It is shorter than all holders. */
export const foreign = 'foreign'

/** The public part of an owner, which distinguishes holders. */
export const idOf = (owner: string): string => owner.slice(0, 8)

/** The two parts of the public text of an owner: the beginning of its value, and the text that is stored with it. */
export const splitHolder = (
  text: string,
): { readonly holder: string; readonly metadata: string | undefined } => {
  const end = `${text} `.indexOf(' ')
  return { holder: text.slice(0, end), metadata: text.slice(end + 1) || undefined }
}

/** The first eight bytes of a text. */
export const beginOf = (text: string): string =>
  new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, 8))
