import type { FaultyNode } from '../nodes.ts'

/** What a library may be told before a case, in terms that all of them know. */
export type Setup = {
  readonly nodes: readonly FaultyNode[]
  /** Ms a lock lives. */
  readonly ttl: number
  /** How often an acquire tries again after its first try. */
  readonly retries: number
  /** Ms for one command. undefined: what the library, or its client, does by itself. */
  readonly timeout: number | undefined
  readonly quorum: number | undefined
}

export type AcquireOptions = { readonly signal?: AbortSignal; readonly metadata?: string }

/** A lock that is held. */
export type Hold = {
  /** Makes it live `time` ms from now. True when the library says that it does. */
  readonly extend: (time: number) => Promise<boolean>
  readonly release: () => Promise<unknown>
  /** Ms that the lock claims to be valid yet, where it claims any. */
  readonly left?: () => number
  /** What proves ownership, and must not be told to others. */
  readonly secret?: string
}

/** A routine under a lock that extends itself. `isLost`: whether anything has told it of a loss. */
export type Routine = (isLost: () => boolean) => Promise<void>

/** One instance of a library over some nodes. */
export type Session = {
  /** Rejects with the library's own error, or with `Declined` where it says no by a value. */
  readonly acquire: (keys: readonly string[], options?: AcquireOptions) => Promise<Hold>
  /** Acquires, runs, releases: by the library's helper, or by the pattern of its README. */
  readonly run?: (key: string, routine: Routine) => Promise<unknown>
  /** Lets one pass in so many ms, where the library has a throttle. */
  readonly throttle?: (key: string, window: number) => Promise<boolean>
  readonly close: () => void
}

/** What not every library has. */
export type Feature =
  | 'several nodes'
  | 'quorum'
  | 'signal'
  | 'several keys'
  | 'run'
  | 'extends itself'
  | 'metadata'

/** One library behind the common interface. */
export type Contestant = {
  readonly name: string
  /** The folder of its package.json in node_modules; undefined for this project. */
  readonly folder: string | undefined
  /** What is missing, and how that shows. */
  readonly lacks: { readonly [feature in Feature]?: string }
  /** Names the Redis key behind a locked key. */
  readonly redisKey: (key: string) => string
  /** What gives a command a timeout, where the default is none or longer than a case waits. */
  readonly timeoutBy: string | undefined
  /** How often its client sends a failed command again, unasked. */
  readonly resends: number
  /** The shortest time, in ms, that its extend can count. */
  readonly unit: number
  readonly open: (setup: Setup) => Session | Promise<Session>
  /** Everything a rejection tells about its reason, as a text to compare. */
  readonly reasonOf?: (error: unknown) => Promise<string>
}

/** The library said no by a value: false. */
export class Declined extends Error {
  override readonly name = 'Declined'
}
