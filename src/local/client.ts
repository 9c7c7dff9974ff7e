import type { RedlockOptions } from '../options/redlock-options.ts'
import { type ResolvedOptions, resolveOptions } from '../options/resolve-options.ts'
import { isValue, type Naming } from '../protocol/keys.ts'
import type { LockEvent } from '../reports/events.ts'
import { assertOption } from '../util/validate.ts'
import type { Budget } from './budget.ts'
import { type IsolateCache, isolateCacheFor } from './isolate-cache.ts'
import { type Pace, usualPace } from './pace.ts'
import type { WaitQueues } from './wait-queue.ts'

/** The state that all calls of one `Redlock` share: its options, and what it has learned so far. */
export type Client = ResolvedOptions & {
  /** Reports an event; undefined where nobody listens. */
  readonly emit: ((event: LockEvent) => void) | undefined
  /** Makes the secret of an attempt. */
  readonly makeValue: () => string
  /** The Redis keys of locks, where `withKeyNames` names them. */
  readonly lockNames?: Naming['lockNames']
  readonly queues: WaitQueues
  readonly cache: IsolateCache
  readonly pace: Pace
  /** The indexes of the nodes. */
  readonly ranks: readonly number[]
  /** The requests that are left for all tries of a call, where each try is a call of its own. */
  readonly requests?: Budget
}

/**
 * The user's generator of secrets, checked: a secret that serves twice would free another's lock, and rivals
 * know each other by the beginning of their secrets.
 */
const checked = (makeValue: () => string): (() => string) => {
  let last: string | undefined
  return () => {
    const value = makeValue()
    // The first one is compared with a second, which serves for nothing else.
    last ??= makeValue()
    const fits = isValue(value) && isValue(last) && value.slice(0, 8) !== last.slice(0, 8)
    const expected = '16 to 256 visible ASCII characters, of which the first eight differ each time'
    assertOption(fits, 'value', expected, value)
    return (last = value)
  }
}

/** Calls the user's listener, whose errors must not reach the lock. */
const emitter =
  (onEvent: (event: LockEvent) => void) =>
  (event: LockEvent): void => {
    const fields = event as unknown as Record<string, unknown>
    for (const name in fields) {
      const { [name]: value } = fields
      if (typeof value === 'number') fields[name] = Math.round(value)
    }
    // The listener may be an async function, whatever its type says.
    const tell = async (): Promise<void> => onEvent(event)
    tell().catch(() => {})
  }

/** Checks the options of a `Redlock` and sets up what its calls share. */
export const createClient = (options: RedlockOptions): Client => {
  const resolved = resolveOptions(options)
  const { nodes, keyspace, onEvent, value } = resolved
  return {
    ...resolved,
    emit: onEvent && emitter(onEvent),
    // The runtime's own generator needs no check.
    makeValue: value ? checked(value) : () => crypto.randomUUID(),
    queues: new Map(),
    cache: isolateCacheFor(nodes, keyspace),
    pace: usualPace,
    ranks: [...nodes.keys()],
  }
}
