import type { Redlock } from '../../src/index.ts'
import type { Running } from '../../tools/servers/runtime.ts'
import type { Trait } from './hosts.ts'

/** What a case works with: the app on one runtime, and the real servers behind it. */
export type Tools = {
  readonly app: Running
  /** A client of the same servers in this process. */
  readonly redlock: Redlock
  /** A key of its own. */
  readonly key: string
  /** Waits until no server holds the lock; much less than its ttl. */
  readonly noneLeft: (limit?: number) => Promise<void>
  /** How many servers hold the lock. */
  readonly holders: () => Promise<number>
  /** Waits for what the app notes under this name. */
  readonly noted: (name: string) => Promise<string>
}

/** One thing that must hold on every runtime. It rejects where it does not. */
export type Case = {
  readonly name: string
  /** What the runtime must have for it. */
  readonly needs?: Trait
  readonly run: (tools: Tools) => Promise<void>
}
