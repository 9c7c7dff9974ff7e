import type {
  AcquireResult,
  InterceptedCall,
  Interceptor,
  ThrottleResult,
} from '../../core/lock/acquire.ts'
import { inGroup, notifyHead } from '../../core/process/wait-queue.ts'
import type { Lock } from '../../core/lock/lock.ts'
import type {
  AcquireOptions,
  SlotOptions,
  Slotted,
  TryAcquireOptions,
  UsingOptions,
} from '../../core/options/call-options.ts'
import { locks, throttles } from '../../protocol/keys.ts'
import { clientOf, type Redlock } from '../redlock.ts'
import type { LockEvent } from '../../core/results/events.ts'
import { unknownRetryAfter } from '../../core/results/results.ts'
import { assertOption, checkDelay, checkInteger, maxLimit } from '../../util/validate.ts'
import { passWithin } from './pass-within.ts'
import { slotNumbers } from './reading.ts'
import { slotAcquisition, slotKey } from './slot-acquisition.ts'

type KeyOrKeys = string | readonly string[]

/** The result of `withSlots`: a `Redlock` whose calls accept a `limit`, and whose throttles accept a `wait`. */
export interface SlotRedlock extends Redlock, Slotted {
  tryAcquire(key: KeyOrKeys, options?: TryAcquireOptions & SlotOptions): Promise<AcquireResult>
  acquire(key: KeyOrKeys, options?: AcquireOptions & SlotOptions): Promise<Lock>
  using<T>(key: KeyOrKeys, routine: (lock: Lock) => T | PromiseLike<T>): Promise<T>
  using<T>(
    key: KeyOrKeys,
    options: UsingOptions & SlotOptions,
    routine: (lock: Lock) => T | PromiseLike<T>,
  ): Promise<T>
}

/** The only key of a call with a `limit`. */
const onlyKey = (key: KeyOrKeys): string => {
  const [first, ...others] = typeof key === 'string' ? [key] : key
  assertOption(others.length === 0, 'key', 'one resource if there is a `limit`', key)
  return first!
}

/**
 * The client of a call for a lock with a limit. The release of any slot wakes a call that waits for one.
 *
 * Calls with another limit, or none, may find a lock free that these calls find held. So they have separate queues and
 * never wait behind these calls.
 */
const slotClient = (
  client: InterceptedCall['client'],
  key: string,
  limit: number,
): InterceptedCall['client'] => {
  const own = inGroup(client, `limit ${limit}`)
  const emit = (event: LockEvent): void => {
    if (event.type === 'released' || event.type === 'lost') notifyHead(own, [key])
    client.emit?.(event)
  }
  return { ...own, emit }
}

/** A call for one of the slots of its key. */
const slotCall = (call: InterceptedCall, key: string, limit: number): InterceptedCall => {
  const { client, operation, options } = call
  const isLock = operation === 'acquire'
  return {
    ...call,
    client: isLock ? slotClient(client, key, limit) : client,
    key,
    options: { ...options, limit: undefined },
    acquisition: slotAcquisition(isLock ? locks : throttles, limit),
  }
}

/** Shortens `retryAfter` after a split vote, because a pass may still be available. */
const soonAgain = <Result extends ThrottleResult>(result: Result): Result =>
  !result.ok && result.nodes.some(({ status }) => status === 'granted')
    ? { ...result, retryAfter: Math.min(result.retryAfter, unknownRetryAfter) }
    : result

/** The lock on a slot that the HTTP request already holds. */
const heldSlot = (
  { client, options }: InterceptedCall,
  key: string,
  limit: number,
): Lock | undefined =>
  options.held?.find((lock) =>
    slotNumbers(limit).some((slot) => lock.covers([slotKey(key, slot)], client)),
  )

const slotInterceptor: Interceptor = <Result extends object>(
  call: InterceptedCall,
  next: (call: InterceptedCall) => Promise<Result>,
): Promise<Result> => {
  const { client, operation, options } = call
  const { limit, wait = 0, signal } = options
  let one = call
  if (limit !== undefined) {
    checkInteger('limit', limit, 1, maxLimit)
    const key = onlyKey(call.key)
    const outer = heldSlot(call, key, limit)
    if (outer) return Promise.resolve({ ok: true, lock: outer.reenter() } as object as Result)
    one = slotCall(call, key, limit)
  }
  if (operation !== 'throttle') return next(one)
  checkDelay('wait', wait)
  const pass = async (own: InterceptedCall['client']): Promise<Result & ThrottleResult> => {
    const tried = { ...one, client: own, options: { ...one.options, wait: undefined } }
    return soonAgain((await next(tried)) as Result & ThrottleResult)
  }
  return wait > 0 ? passWithin(client, wait, signal, pass) : pass(client)
}

/**
 * A `Redlock` whose calls accept a `limit`. With `limit: 3`, up to three clients hold a lock at the same time, and a
 * throttle lets three calls pass per `window`. Use the result in place of `redlock`, including for `lock()` and
 * `throttle()`. Both share nodes, queues and caches.
 *
 * A lock with a limit of N consists of N slots. These are separate locks, named `key#1` to `key#N`, each with its own
 * fencing tokens. A slot has at most one holder, whichever nodes fail. All callers of a key must use the same limit,
 * from 1 to 100. A call with a limit takes a single key.
 *
 * @throws `TypeError` if the argument is not a `Redlock`.
 * @example
 * ```ts
 * const redlock = withSlots(new Redlock({ nodes }))
 *
 * const lock = await redlock.acquire('import', { limit: 3, wait: 10_000 })
 * lock.keys // such as ['import#2']
 * ```
 */
export const withSlots = (redlock: Redlock): SlotRedlock => {
  const client = clientOf(redlock)
  const interceptors = [...client.interceptors, slotInterceptor]
  return redlock.withClient({ ...client, interceptors }) as SlotRedlock
}
