import type { LockEvent } from '../../../src/index.ts'
import type { Action } from './actions.ts'
import type { Settings } from './settings.ts'

// All times are ms since the run began. Clients and nodes count from 0.

/** The place of the guarded store among the receivers of messages: after the last node. */
export type Receiver = number | 'store'

export type Operation =
  | 'acquire'
  | 'extend'
  | 'release'
  | 'look'
  | 'promise'
  | 'record'
  | 'write'
  | 'subscribe'
  | 'queue'
  | 'leave'
  | Push

/** What a node sends over a stream: `hello` shows that the stream works, `wake` tells of a release. */
export type Push = 'hello' | 'wake'

/**
 * The answer to a message. A node: `granted` to `quarantined`, or `failed`; it is `recorded` where the node
 * has the answer to the request, `open` where it opens a stream, and `queued` where a client joins or leaves
 * its queue of waiters. The store: `accepted` or `stale`.
 */
export type Verdict =
  | 'granted'
  | 'locked'
  | 'recorded'
  | 'absent'
  | 'quarantined'
  | 'failed'
  | 'open'
  | 'queued'
  | 'accepted'
  | 'stale'

/**
 * A request of a client, and what became of it. A push goes from the node to the client: it has no way to the
 * node.
 */
export type Message = {
  readonly client: number
  readonly to: Receiver
  readonly operation: Operation
  /** The attempt of the client that it belongs to; each has a secret of its own. */
  readonly attempt: number
  readonly sentAt: number
  /** The slot that it asks for; undefined where any will do. Slots count from 0. */
  wanted?: number | undefined
  /** The slot that it was granted. */
  slot?: number
  /** Its token, of a write. */
  readonly token?: number
  arrivedAt?: number
  /** When the receiver executed it. */
  executedAt?: number
  /** When the client received the answer. */
  answeredAt?: number
  /** When the client stopped waiting for the answer. */
  givenUpAt?: number
  verdict?: Verdict
  /** The client that holds the node, or whose answer it has: if the verdict is `locked` or `recorded`. */
  holder?: number | undefined
  /** The highest token that the store has seen, if the verdict is `stale`. */
  highest?: number | undefined
}

export type Health = 'well' | 'hangs' | 'down'

/** A lock on a node, or one of its slots. */
export type SlotState = {
  /** The client whose lock it is. */
  readonly holder: number | undefined
  /** When it expires. */
  readonly expiresAt: number
  /** The fencing counter. */
  readonly fence: number | undefined
}

/** The content of a node, from a moment on. */
export type NodeState = {
  readonly at: number
  readonly node: number
  readonly health: Health
  /** The lock, or the slots of a lock with several holders. */
  readonly slots: readonly SlotState[]
  /** The client whose answer it has recorded. */
  readonly answer: number | undefined
  /** The clients that wait in its queue, in order. */
  readonly queue: readonly number[]
  /** Until when it abstains after a restart. */
  readonly abstainsUntil: number
}

/** The content of the store, from a moment on. */
export type StoreState = {
  readonly at: number
  readonly writer: number
  readonly token: number
}

/** The activity of a client. */
export type Phase =
  | 'asking'
  | 'waiting'
  | 'working'
  | 'writing'
  | 'releasing'
  | 'recording'
  | 'paused'
  | 'done'
  | 'answered'
  | 'replayed'
  | 'stale'
  | 'stopped'
  | 'refused'
  | 'unavailable'

export type ClientState = { readonly at: number; readonly client: number; readonly phase: Phase }

/** Something that a client or a visitor did, or that the client library reported. */
export type Fact = { readonly at: number } & (
  | { readonly type: 'clicked'; readonly client: number }
  | { readonly type: 'event'; readonly client: number; readonly event: LockEvent }
  | { readonly type: 'token'; readonly client: number; readonly token: number }
  | { readonly type: 'tokenless'; readonly client: number }
  | {
      readonly type: 'checked'
      readonly client: number
      readonly isHeld: boolean
      readonly expiresIn: number
    }
  | { readonly type: 'answered'; readonly client: number; readonly by: number }
  | { readonly type: 'woke'; readonly client: number; readonly isHeld: boolean }
  | { readonly type: 'action'; readonly action: Action }
)

/** The time for which a client was certain to hold the lock, or one of its slots, which count from 0. */
export type Hold = {
  readonly client: number
  readonly slot: number
  readonly from: number
  to: number
}

/** All that happened in a run. */
export type Recording = {
  readonly settings: Settings
  /** How many clients there were. */
  readonly clients: number
  readonly end: number
  readonly messages: readonly Message[]
  readonly nodes: readonly NodeState[]
  readonly store: readonly StoreState[]
  readonly phases: readonly ClientState[]
  readonly holds: readonly Hold[]
  readonly facts: readonly Fact[]
}

/** Whether a message was sent by the node, over a stream. */
export const isPush = ({ operation }: Message): boolean =>
  operation === 'hello' || operation === 'wake'
