import type { Redlock } from '../../src/index.ts'
import type { Running } from '../../tools/servers/runtime.ts'
import type { Trait } from './hosts.ts'

/** The setting of a case: the app on one runtime, and the real servers behind it. */
export type CaseContext = {
  readonly app: Running
  /** A client of the same servers in this process. */
  readonly redlock: Redlock
  /** A key that no other case uses. */
  readonly key: string
  /** Waits until no server holds the lock, for a limit in ms that is far below its ttl. */
  readonly noneLeft: (limit?: number) => Promise<void>
  /** How many servers hold the lock. */
  readonly holders: () => Promise<number>
  /** Waits for the note that the app leaves under this name. */
  readonly noted: (name: string) => Promise<string>
}

/** One requirement for every runtime. `run` rejects where it is not met. */
export type Case = {
  readonly name: string
  /** The trait without which a runtime cannot show it. */
  readonly needs?: Trait
  readonly run: (context: CaseContext) => Promise<void>
}
