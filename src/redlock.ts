import { attempt } from './attempt.ts'
import type {
  AcquireOptions,
  AcquireResult,
  ThrottleOptions,
  ThrottleResult,
  TryAcquireOptions,
  UsingOptions,
} from './calls.ts'
import { sleep, stopwatch } from './clock.ts'
import { isTaken } from './contention.ts'
import { nodesFromEnv } from './env.ts'
import { LockedError, QuorumError } from './errors.ts'
import { expect } from './expect.ts'
import { longestHold } from './keep-alive.ts'
import { checkKeys, type Namespace } from './keys.ts'
import { Lock } from './lock.ts'
import { type RetryFunction, retryFunction } from './retry.ts'
import {
  checkOptions,
  checkTime,
  checkTtl,
  type RedlockOptions,
  type Settings,
} from './settings.ts'

// Whoever yields in a split vote asks again, to be refused only by a winner: should the leader be
// gone, a burst would else end without one.
const splitTries = 3

/**
 * A distributed lock over several independent Redis servers: held by whoever a majority of them
 * has granted it to.
 *
 * @throws {TypeError | RangeError} when an option is wrong; the message names it.
 * @see {@link https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/}
 * @example
 * ```ts
 * const redlock = new Redlock({
 *   nodes: [
 *     { url: env.REDIS_1_URL, token: env.REDIS_1_TOKEN },
 *     { url: env.REDIS_2_URL, token: env.REDIS_2_TOKEN },
 *     { url: env.REDIS_3_URL, token: env.REDIS_3_TOKEN },
 *   ],
 * })
 * ```
 */
export class Redlock {
  readonly #settings: Settings

  constructor(options: RedlockOptions) {
    this.#settings = checkOptions(options)
  }

  /**
   * A `Redlock` whose nodes come from the environment: `REDLOCK_NODES`, a JSON array of
   * `{ url, token }`; else `UPSTASH_REDIS_REST_URL` and `_TOKEN`, also with the suffixes `_1`,
   * `_2` ... without gaps; else `KV_REST_API_URL` and `_TOKEN`.
   *
   * @param env - The bindings of a Worker. Default: `process.env` where it exists.
   * @param options - All other options of the constructor.
   * @throws {TypeError} when none of these is set, or one is set by half.
   * @example
   * ```ts
   * const redlock = Redlock.fromEnv(c.env)
   * ```
   */
  static fromEnv(
    env?: Readonly<Record<string, unknown>>,
    options: Omit<RedlockOptions, 'nodes'> = {},
  ): Redlock {
    return new Redlock({ ...options, nodes: nodesFromEnv(env) })
  }

  /**
   * Makes one attempt: one round trip when nobody else wants the lock. It is repeated only where
   * the vote was split and no winner was seen, so that a burst of tries does not end without one.
   *
   * @param key - A resource, or several: all or nothing.
   * @throws the signal's reason; nothing stays locked then.
   * @example
   * ```ts
   * const result = await redlock.tryAcquire('invoice:7')
   * if (!result.ok) return tooBusy(result.retryAfter)
   * ```
   */
  async tryAcquire(
    key: string | readonly string[],
    options: TryAcquireOptions = {},
  ): Promise<AcquireResult> {
    return this.obtain(key, { ...options, wait: 0 })
  }

  /**
   * Acquires the lock, trying again as `retry` and `wait` say.
   *
   * @param key - A resource, or several: all or nothing.
   * @throws {LockedError} when somebody else still holds it after the last try.
   * @throws {QuorumError} when too few nodes answered in the last try.
   * @throws the signal's reason; nothing stays locked then.
   * @example
   * ```ts
   * const lock = await redlock.acquire(['account:1', 'account:2'], { wait: 2_000 })
   * ```
   */
  async acquire(key: string | readonly string[], options: AcquireOptions = {}): Promise<Lock> {
    const result = await this.obtain(key, options)
    if (result.ok) return result.lock
    const { reason, retryAfter, nodes } = result
    const Failure = reason === 'locked' ? LockedError : QuorumError
    throw new Failure(checkKeys(key), retryAfter, nodes)
  }

  /** `acquire` with its refusal as a value. @internal */
  async obtain(
    key: string | readonly string[],
    { retry, wait = Infinity, ...options }: AcquireOptions,
  ): Promise<AcquireResult> {
    expect(wait >= 0, 'wait', 'at least 0 (ms)', wait)
    const { clock, random, retry: usual } = this.#settings
    // With a ceiling in time, and no word on attempts, the time alone decides.
    const next = retryFunction(retry ?? usual, random, wait < Infinity ? Infinity : undefined)
    const waited = stopwatch(clock)
    return this.#run('l:', key, options, (attempts, refusal) => {
      const delay = waited() < wait && next(attempts, refusal)
      return delay !== false && Math.min(delay, wait - waited())
    })
  }

  /**
   * Runs `routine` while holding the lock: extends it as long as the routine runs, and releases it
   * afterwards. What the routine returns or throws is what you get, whatever becomes of the
   * release. When the lock is lost, `lock.signal` aborts; pass it on to what the routine does.
   *
   * @throws what `acquire` throws; else what the routine throws.
   * @example
   * ```ts
   * await redlock.using('report', {}, async (lock) => {
   *   await fetch(url, { signal: lock.signal })
   * })
   * ```
   */
  async using<T>(
    key: string | readonly string[],
    options: UsingOptions,
    routine: (lock: Lock) => T | PromiseLike<T>,
  ): Promise<T> {
    expect(typeof routine === 'function', 'routine', 'a function', routine)
    const { maxHold = longestHold } = options
    checkTime('maxHold', maxHold)
    const lock = await this.acquire(key, options)
    lock.keepAlive(maxHold)
    try {
      return await routine(lock)
    } finally {
      await lock.release()
    }
  }

  /**
   * Lets one call per key and window pass. The key is held for the window and never released.
   *
   * @throws the signal's reason; the window stays free then.
   * @example
   * ```ts
   * const result = await redlock.throttle(lockKey('submit', userId), { window: 5_000 })
   * if (!result.ok) return tooManyRequests(result.retryAfter)
   * ```
   */
  async throttle(
    key: string | readonly string[],
    options: ThrottleOptions,
  ): Promise<ThrottleResult> {
    const { window, ...rest } = options
    checkTtl('window', window, this.#settings.driftFactor)
    const result = await this.#run('t:', key, { ...rest, ttl: window }, () => false)
    return result.ok ? { ok: true, resetAfter: window } : result
  }

  /** Tries until the lock is held, or until `next` says false instead of ms to wait. */
  async #run(
    namespace: Namespace,
    key: string | readonly string[],
    { ttl = this.#settings.ttl, signal, waitUntil = () => {} }: TryAcquireOptions,
    next: RetryFunction,
  ): Promise<AcquireResult> {
    const settings = this.#settings
    const { clock, random, quorum } = settings
    const keys = checkKeys(key)
    expect(!signal || 'aborted' in Object(signal), 'signal', 'an AbortSignal', signal)
    expect(typeof waitUntil === 'function', 'waitUntil', 'a function', waitUntil)
    checkTtl('ttl', ttl, settings.driftFactor)
    for (let attempts = 1, splits = 0; ;) {
      // A value must not serve two attempts: the release that ends the first may arrive during the
      // second and take its lock away.
      const value = crypto.randomUUID()
      const claim = { settings, namespace, keys, value, ttl, waitUntil }
      const elapsed = stopwatch(clock)
      const result = await attempt(claim, signal)
      if (result.ok) return { ok: true, lock: new Lock(claim, result.validity) }
      const isSplit = result.reason === 'locked' && !isTaken(result.nodes, quorum)
      const delay =
        isSplit && splits++ < splitTries
          ? // About as long as another attempt takes: whoever leads is through by then.
            elapsed() * (1 + random())
          : next(attempts++, result)
      if (delay === false) return result
      await sleep(clock, delay, signal)
    }
  }
}
