import { contend } from '../acquire/contend.ts'
import type { AcquireResult, ThrottleResult, WindowResult } from '../acquire/results.ts'
import type { Client } from '../local/client.ts'
import { notifyHead } from '../local/wait-queue.ts'
import type { Lock } from '../lock/lock.ts'
import {
  type AcquireCallOptions,
  type ThrottleOptions,
  throttleOptions,
} from '../options/call-options.ts'
import { locks } from '../protocol/keys.ts'
import { Redlock } from '../redlock.ts'
import type { LockEvent } from '../reports/events.ts'
import { assertOption, checkDelay, checkInteger, checkOptions, maxLimit } from '../util/validate.ts'
import { passWithin } from './pass-within.ts'
import { queuesOfLimit } from './queues-of-limit.ts'
import { slotNumbers } from './reading.ts'
import { slotContest, slotKey } from './slot-contest.ts'
import { acquireSlotOfWindow, throttleSlots } from './throttle-slots.ts'

type Key = string | readonly string[]

const checkLimit = (limit: number): void => checkInteger('limit', limit, 1, maxLimit)

/** The only key of a call with a `limit`. */
const onlyKey = (key: Key): string => {
  const [first, ...others] = typeof key === 'string' ? [key] : key
  assertOption(others.length === 0, 'key', 'one resource where there is a `limit`', key)
  return first!
}

/** The client of a call with a limit: the release of a slot wakes a call that waits for any slot. */
const slotClient = (client: Client, key: string, limit: number): Client => {
  const queues = queuesOfLimit(client.queues, limit)
  const emit = (event: LockEvent): void => {
    if (event.type === 'released' || event.type === 'lost') notifyHead(queues, [key])
    client.emit?.(event)
  }
  return { ...client, queues, emit }
}

/** A `Redlock` that knows the option `limit`, and `wait` of a throttle. */
class SlotRedlock extends Redlock {
  readonly #inner: Redlock

  constructor(inner: Redlock) {
    super(inner)
    this.#inner = inner
  }

  override withClient(client: Client): Redlock {
    return new SlotRedlock(this.#inner.withClient(client))
  }

  /** Traces a call that does not reach the inner `Redlock`, where that one is traced. */
  #follow<T extends object>(
    operation: string,
    key: Key,
    run: (client: Client) => Promise<T>,
  ): Promise<T> {
    const client = this.client()
    return client.trace ? client.trace(operation, client, key, run) : run(client)
  }

  override acquireOrReenter(
    given: Key,
    { limit, ...options }: AcquireCallOptions,
    held: readonly Lock[] = [],
  ): Promise<AcquireResult> {
    if (limit === undefined) return this.#inner.acquireOrReenter(given, options, held)
    checkLimit(limit)
    const client = this.client()
    const key = onlyKey(given)
    const slots = slotNumbers(limit).map((slot) => slotKey(key, slot))
    const outer = held.find((lock) => slots.some((slot) => lock.covers([slot], client)))
    if (outer) return Promise.resolve({ ok: true, lock: outer.reenter() })
    return this.#follow('acquire', key, (traced) =>
      contend(slotClient(traced, key, limit), slotContest(locks, limit), key, options),
    )
  }

  override async throttle(key: Key, options: ThrottleOptions): Promise<ThrottleResult> {
    checkOptions('throttle()', options, throttleOptions)
    const { wait = 0, ...rest } = options
    checkDelay('wait', wait)
    // Followed as a whole: the tries in it are not calls of their own.
    return this.#follow('throttle', key, ({ trace: _trace, ...client }) =>
      passWithin(client, wait, rest.signal, (one) => this.withClient(one).passWindow(key, rest)),
    )
  }

  override passWindow(key: Key, { limit, ...options }: ThrottleOptions): Promise<ThrottleResult> {
    if (limit === undefined) return this.#inner.passWindow(key, options)
    checkLimit(limit)
    const only = onlyKey(key)
    return this.#follow('throttle', only, (client) => throttleSlots(client, only, limit, options))
  }

  override acquireWindow(key: Key, { limit, ...options }: ThrottleOptions): Promise<WindowResult> {
    if (limit === undefined) return this.#inner.acquireWindow(key, options)
    checkLimit(limit)
    const only = onlyKey(key)
    return this.#follow('throttle', only, (client) =>
      acquireSlotOfWindow(client, only, limit, options),
    )
  }
}

/**
 * A `Redlock` whose calls may have a `limit`: with `limit: 3`, up to three holders have the lock at the same
 * time, and with a `window`, three calls pass in it. Use it in place of the given one, also for `lock()`
 * and `throttle()`; both share nodes, queues and caches.
 *
 * A lock with a limit of N consists of N slots. Each of them is a lock of its own, named `key#1` to `key#N`,
 * with one holder at most, whatever nodes fail, and with fencing tokens of its own. All callers of a key must
 * use the same limit. A limit is an integer from 1 to 100, for one key.
 *
 * @throws `TypeError` when the argument is no `Redlock`.
 * @example
 * ```ts
 * const redlock = withSlots(new Redlock({ nodes }))
 *
 * const lock = await redlock.acquire('import', { limit: 3, wait: 10_000 })
 * lock.keys // such as ['import#2']
 * ```
 */
export const withSlots = (redlock: Redlock): Redlock => {
  assertOption(redlock instanceof Redlock, 'redlock', 'a Redlock', redlock)
  return new SlotRedlock(redlock)
}
