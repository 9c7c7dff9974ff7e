// What the page draws. Clients and lanes count from 0. All places are along the timeline, whose long pauses
// are cut short.

/** The answer to a request. `asked` stands for all that grants nothing, such as joining a queue. */
export type Answer = 'granted' | 'rejected' | 'released' | 'recorded' | 'asked' | 'wakes' | 'none'

/** A request of a client to a node or to the store, or a message of a node that wakes a client. */
export type Message = {
  readonly client: number
  /** The node; the store comes after the last one. */
  readonly to: number
  answer: Answer
  /** When it was sent, when it arrived there, and when the client got the answer. */
  readonly sent?: number | undefined
  there?: number | undefined
  back?: number | undefined
}

/** What a client does for a while, or whose lock a node has. */
export type Bar = {
  readonly lane: 'client' | 'node'
  readonly index: number
  /** The client whose bar it is; -1 where it is nobody's. */
  readonly client: number
  readonly label: string
  /** The slot of the lock on a node. */
  readonly slot: number
  readonly from: number
  to: number
}

/** A moment at which something happens, in ms since the beginning, and what that is. */
export type Step = { readonly place: number; readonly at: number; text: string }

/** A pause that is cut short, and how long it was in ms. */
export type Cut = { readonly from: number; readonly to: number; readonly time: number }

/** The history of one scene. */
export type Recording = {
  readonly id: string
  readonly clients: number
  readonly nodes: number
  readonly slots: number
  readonly hasStore: boolean
  readonly length: number
  readonly messages: readonly Message[]
  readonly bars: readonly Bar[]
  readonly steps: readonly Step[]
  readonly cuts: readonly Cut[]
}

/** What the page shows. */
export type Recordings = {
  /** By the IDs of scenes. */
  readonly recordings: Readonly<Record<string, Recording>>
  /** In how many networks each double click was repeated. */
  readonly networks: number
  /** In how many of them one client held the lock, by the IDs of double clicks. */
  readonly winners: Readonly<Record<string, number>>
  /** The version of the package `redlock`. */
  readonly redlock: string
}
