import type { RedlockOptions } from '../options/redlock-options.ts'
import { type ResolvedOptions, resolveOptions } from '../options/resolve-options.ts'
import type { Naming } from '../../protocol/keys.ts'
import type { LockEvent } from '../results/events.ts'
import type { Budget } from './budget.ts'
import { type IsolateCache, isolateCacheFor } from './isolate-cache.ts'
import { type Pace, usualPace } from './pace.ts'
import type { WaitQueues } from './wait-queue.ts'

/** The state that all calls of one `Redlock` share: its options, and what earlier calls have learned. */
export type Client = ResolvedOptions & {
  /** Reports an event; undefined if there is no listener. */
  readonly emit: ((event: LockEvent) => void) | undefined
  /** Creates the secret of an attempt. */
  readonly makeValue: () => string
  /** The function that names the Redis keys of locks, if `withKeyNames` provides one. */
  readonly lockNames?: Naming['lockNames']
  readonly queues: WaitQueues
  /** The group of queues that this client uses. Calls for locks, slots and records do not wait for each other. */
  readonly queueGroup?: string | undefined
  readonly cache: IsolateCache
  readonly pace: Pace
  /** The indexes of the nodes. */
  readonly ranks: readonly number[]
  /** The budget that several calls share, such as the tries of a throttle that waits. */
  readonly requests?: Budget
}

/** Wraps the user's listener. Rounds the numbers of each event, and ignores errors, which must not affect the lock. */
const emitter =
  (onEvent: (event: LockEvent) => void) =>
  (event: LockEvent): void => {
    const fields = event as unknown as Record<string, unknown>
    for (const name in fields) {
      const { [name]: value } = fields
      if (typeof value === 'number') fields[name] = Math.round(value)
    }
    // The listener can be an async function, despite its type.
    const tell = async (): Promise<void> => onEvent(event)
    tell().catch(() => {})
  }

/** Checks the options of a `Redlock` and creates the state that its calls share. */
export const createClient = (options: RedlockOptions): Client => {
  const resolved = resolveOptions(options)
  const { nodes, keyspace, onEvent } = resolved
  return {
    ...resolved,
    emit: onEvent && emitter(onEvent),
    makeValue: crypto.randomUUID.bind(crypto),
    queues: new Map(),
    cache: isolateCacheFor(nodes, keyspace),
    pace: usualPace,
    ranks: [...nodes.keys()],
  }
}
