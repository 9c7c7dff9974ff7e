import type { FaultyNode } from '../nodes.ts'

/** The settings of one instance, in terms that all libraries share. */
export type Setup = {
  readonly nodes: readonly FaultyNode[]
  /** The TTL of a lock in ms. */
  readonly ttl: number
  /** How often an acquire retries after its first attempt. */
  readonly retries: number
  /** The timeout of one command in ms; undefined keeps the default of the library and its client. */
  readonly timeout: number | undefined
  readonly quorum: number | undefined
}

type AcquireOptions = { readonly signal?: AbortSignal; readonly metadata?: string }

/** A lock that is held. */
export type Hold = {
  /** Extends the lock to `time` ms from now. Resolves to whether the library reports success. */
  readonly extend: (time: number) => Promise<boolean>
  readonly release: () => Promise<unknown>
  /** The remaining validity in ms, if the library reports it. */
  readonly left?: () => number
}

/** A routine under a lock with automatic extension. `isLost`: whether the library has reported a loss. */
type Routine = (isLost: () => boolean) => Promise<void>

/** One instance of a library over some nodes. */
export type Session = {
  /** Rejects with the library's own error, or with `Declined` if it returns a value instead. */
  readonly acquire: (keys: readonly string[], options?: AcquireOptions) => Promise<Hold>
  /** Acquires, runs and releases, with the library's helper or the pattern of its README. */
  readonly run?: (key: string, routine: Routine) => Promise<unknown>
  /** Admits one call per `window` ms, if the library has a throttle. */
  readonly throttle?: (key: string, window: number) => Promise<boolean>
  /** Acquires one of `limit` slots of a key, if the library has locks with several holders. */
  readonly acquireSlot?: (key: string, limit: number) => Promise<Hold>
  readonly close: () => void
}

/** A feature that not every library has. */
export type Feature =
  | 'several nodes'
  | 'quorum'
  | 'signal'
  | 'several keys'
  | 'run'
  | 'extends itself'
  | 'metadata'
  | 'slots'

/** One library behind the common interface. */
export type Contestant = {
  readonly name: string
  /** The folder of its package.json in node_modules; undefined for this project. */
  readonly folder: string | undefined
  /** The missing features, each with an explanation. */
  readonly lacks: { readonly [feature in Feature]?: string }
  /** The Redis key that holds a lock. */
  readonly redisKey: (key: string) => string
  /** The option that sets a command timeout, if the default is none or longer than a case waits. */
  readonly timeoutBy: string | undefined
  /** How often its client automatically resends a failed command. */
  readonly resends: number
  /** The unit, in ms, in which its extend counts. */
  readonly unit: number
  readonly open: (setup: Setup) => Session | Promise<Session>
  /** The reason that a rejection gives, as a text to compare. */
  readonly reasonOf?: (error: unknown) => Promise<string>
}

/** The library rejected the call by returning false. */
export class Declined extends Error {
  override readonly name = 'Declined'
}
