import type { Redlock } from '../../src/index.ts'
import type { Running } from '../../tools/servers/serving-process.ts'

/** A trait that not every runtime has. */
export type Trait = 'action' | 'connection' | 'fetch' | 'parser' | 'stream' | 'upgrade'

/** Serves an app on one runtime. */
export type Host = {
  readonly name: string
  readonly start: (env: Record<string, string>) => Promise<Running>
  /** The missing traits, each with the reason. */
  readonly lacks?: Readonly<Partial<Record<Trait, string>>>
}

/** The setting of a case: the app on one host, and the real servers behind it. */
export type CaseContext = {
  readonly app: Running
  /** A client of the same servers in this process. */
  readonly redlock: Redlock
  /** A key that no other case uses. */
  readonly key: string
  /** Waits until no server holds the lock, for a limit in ms that is far below its TTL. */
  readonly noneLeft: (limit?: number) => Promise<void>
  /** How many servers hold the lock. */
  readonly holders: () => Promise<number>
  /** Waits for the note that the app leaves under this name. */
  readonly noted: (name: string) => Promise<string>
}

/** One requirement for every runtime. `run` rejects if it is not met. */
export type Case = {
  readonly name: string
  /** The traits that a runtime needs for this case. */
  readonly needs?: Trait | readonly Trait[]
  /** Whether it mostly waits, so that other cases can run at the same time. */
  readonly isIdle?: boolean
  readonly run: (context: CaseContext) => Promise<void>
}
