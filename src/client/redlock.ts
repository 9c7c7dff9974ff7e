import { acquire, type AcquireResult, type InterceptedClient } from '../core/lock/acquire.ts'
import { createClient } from '../core/process/client.ts'
import { inGroup } from '../core/process/wait-queue.ts'
import { isHeld, markLost } from '../core/lock/lock-state.ts'
import type { Lock } from '../core/lock/lock.ts'
import { numberOf } from '../protocol/node.ts'
import { settingsInEnv, nodesFromEnv } from '../redis/nodes-from-env.ts'
import { isClient } from '../redis/rest-node.ts'
import {
  type AcquireOptions,
  acquireOptions,
  keepAliveLimits,
  type TryAcquireOptions,
  tryAcquireOptions,
  type UsingOptions,
  usingOptions,
} from '../core/options/call-options.ts'
import type { RedlockOptions } from '../core/options/redlock-options.ts'
import { optionsBesideNodes } from '../core/options/resolve-options.ts'
import { checkKeys, lockNamesBy } from '../protocol/keys.ts'
import { errorOf } from '../core/results/errors.ts'
import {
  assertOption,
  checkFunction,
  checkObject,
  checkOptions,
  warnOfSeconds,
} from '../util/validate.ts'

/** The lock of a successful result. @throws the errors of `acquire`. */
const lockOrThrow = (key: string | readonly string[], result: AcquireResult): Lock => {
  if (result.ok) return result.lock
  throw errorOf(checkKeys(key), result)
}

// Passes the client of an existing Redlock to the constructor. Code outside this module cannot use this symbol.
const existing: unique symbol = Symbol('existing')
type Existing = { readonly [existing]?: InterceptedClient }

const oneObject =
  '{ nodes: [...], ... }, with each client wrapped by ioredisNode(), nodeRedisNode() or upstashNode()'

/** The work to do while the lock is held. */
type Routine<T> = (lock: Lock) => T | PromiseLike<T>

/**
 * A distributed lock over several independent Redis servers. A client holds the lock once a majority of the servers has
 * granted it.
 *
 * @throws `TypeError` or `RangeError` if an option is wrong; the message names it.
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
  #client: InterceptedClient

  constructor(options: RedlockOptions)
  // Detects the arguments of other libraries: a list of clients first, and options second.
  constructor(options: RedlockOptions & Existing, beside?: unknown) {
    const isAlone = beside === undefined
    const isList = Array.isArray(options) || isClient(Object(options))
    const kind = isAlone ? 'clients' : 'a second argument'
    assertOption(isAlone && !isList, 'options', oneObject, options, kind)
    this.#client = options?.[existing] ?? { ...createClient(options), interceptors: [] }
  }

  /** Returns a copy of this `Redlock` with another client. @internal */
  withClient(client: InterceptedClient): Redlock {
    return new Redlock({ [existing]: client } as Existing & RedlockOptions)
  }

  /** The state that this `Redlock` shares with other parts of the package. @internal */
  client(): InterceptedClient {
    return this.#client
  }

  /**
   * Makes one attempt, which takes one round trip without contention. If the vote is split, one of the clients asks the
   * nodes again, and the others are rejected.
   *
   * @param key - A resource, or several: all or nothing.
   * @throws the signal's reason; nothing stays locked then.
   * @example
   * ```ts
   * const result = await redlock.tryAcquire('report:7')
   * if (!result.ok) return tooBusy(result.retryAfter)
   * ```
   */
  async tryAcquire(
    key: string | readonly string[],
    options: TryAcquireOptions = {},
  ): Promise<AcquireResult> {
    checkOptions('tryAcquire()', options, tryAcquireOptions)
    warnOfSeconds(this.#client, options)
    return acquire(this.#client, key, { ...options, wait: 0 })
  }

  /**
   * Acquires the lock. Retries according to `retry` and `wait`.
   *
   * @param key - A resource, or several: all or nothing.
   * @throws `LockedError` if another client still holds the lock on the last try.
   * @throws `QuorumError` if too few nodes answered on the last try.
   * @throws the signal's reason; nothing stays locked then. The `cause` of a `TimeoutError` from
   *   `AbortSignal.timeout()` is the `LockedError` or `QuorumError` of the last try.
   * @example
   * ```ts
   * const lock = await redlock.acquire(['report:1', 'report:2'], { wait: 2_000 })
   * ```
   */
  async acquire(key: string | readonly string[], options: AcquireOptions = {}): Promise<Lock> {
    checkOptions('acquire()', options, acquireOptions)
    warnOfSeconds(this.#client, options)
    return lockOrThrow(key, await acquire(this.#client, key, options))
  }

  /**
   * Runs `routine` while holding the lock, which is extended as long as the routine runs and released afterwards.
   * Returns the routine's result and rethrows its errors unchanged, even if the release fails. If the lock is lost,
   * `lock.signal` aborts, so pass this signal to every operation of the routine.
   *
   * @throws the errors of `acquire` and of the routine.
   * @throws `LockLostError` if the lock was lost before the routine ended, unless the routine threw or released the
   *   lock.
   * @example
   * ```ts
   * await redlock.using('report', async (lock) => {
   *   await fetch(url, { signal: lock.signal })
   * })
   * ```
   */
  using<T>(key: string | readonly string[], routine: Routine<T>): Promise<T>
  using<T>(key: string | readonly string[], options: UsingOptions, routine: Routine<T>): Promise<T>
  async using<T>(
    key: string | readonly string[],
    first: UsingOptions | Routine<T>,
    second?: Routine<T>,
  ): Promise<T> {
    const isShort = typeof first === 'function'
    assertOption(!isShort || second === undefined, 'options', 'the second argument', first)
    const [options, routine] = isShort ? [{}, first] : [first, second!]
    checkFunction('routine', routine)
    checkOptions('using()', options, usingOptions)
    const limits = keepAliveLimits(options)
    warnOfSeconds(this.#client, options)
    const lock = lockOrThrow(key, await acquire(this.#client, key, options))
    lock.keepAlive(limits)
    try {
      const value = await routine(lock)
      const state = lock.state()
      // A routine that blocked the process kept the timer from reporting the loss.
      if (!state.releasing && !isHeld(state)) throw markLost(state)
      return value
    } finally {
      await lock.release()
    }
  }
}

/**
 * The state that a `Redlock` shares with other parts of the package. The `Redlock` may come from another copy of the
 * package.
 *
 * @throws `TypeError` if the argument is not a `Redlock`.
 */
export const clientOf = (redlock: Redlock): InterceptedClient => {
  assertOption(
    'withClient' in Object(redlock),
    'redlock',
    'a Redlock, or a function that returns one',
    redlock,
  )
  return redlock.client()
}

// The settings and the result of the last `fromEnv` call. A Worker makes the same call for each request, because
// bindings are available only in requests.
let lastSettings: readonly unknown[] = []
let lastRedlock: Redlock

/**
 * A `Redlock` whose nodes come from the environment: from the first of these variables that is set.
 *
 * 1. `REDLOCK_NODES`, a JSON array of `{ url, token }`, or in tests an array of memory nodes.
 * 2. `UPSTASH_REDIS_REST_URL` and `_TOKEN`, with or without the suffixes `_0`, `_1` and so on up to `_99`. A gap is an
 *    error.
 * 3. The variables that Vercel sets, `KV_REST_API_URL` and `_TOKEN`, with or without a prefix for each database, such
 *    as `EU_KV_REST_API_URL`.
 *
 * @param env - The bindings of a Worker. Default: `process.env` if it exists.
 * @param options - The options of the constructor, except `nodes`.
 * @throws `TypeError` if none of these is set, or one is missing; the message names it.
 * @example
 * ```ts
 * const redlock = fromEnv(c.env)
 * ```
 */
export const fromEnv = (env?: object, options: Omit<RedlockOptions, 'nodes'> = {}): Redlock => {
  checkObject('options', 'an object in fromEnv()', options)
  const variables = settingsInEnv(env)
  const { length } = variables
  const settings = [length, ...variables, ...Object.entries(options).flat()]
  const isKnown = settings.length === lastSettings.length
  if (!isKnown || settings.some((one, index) => one !== lastSettings[index])) {
    checkOptions('fromEnv()', options, optionsBesideNodes())
    const nodes = nodesFromEnv(env)
    lastRedlock = new Redlock({ ...options, nodes })
    // If `env` is a proxy or inherits its variables, it may not list all of them. Then changes would go unnoticed, so
    // the result is not cached.
    const areShown = nodes.every(
      ({ url, token }) => variables.includes(url) && variables.includes(token),
    )
    lastSettings = areShown || length === 1 ? settings : []
  }
  return lastRedlock
}

/**
 * A `Redlock` whose Redis keys for locks are named by a function, so that it can share locks with another library
 * during a migration. Use the result in place of `redlock`.
 *
 * All clients of a lock must use the same key name. The `prefix` is not added to these names, but all other keys still
 * start with it, including those of throttles and fences.
 *
 * @param keyName - Must return different names for different keys.
 * @throws `TypeError` if an argument is wrong; the message names it.
 * @example
 * ```ts
 * const redlock = withKeyNames(new Redlock({ nodes }), (key) => `mutex:${key}`) // as redis-semaphore names them
 * ```
 */
export const withKeyNames = <Given extends Redlock>(
  redlock: Given,
  keyName: (key: string) => string,
): Given => {
  const client = clientOf(redlock)
  checkFunction('keyName', keyName)
  const lockNames = lockNamesBy(keyName, client.prefix)
  // A key with another name is another lock, so its calls need separate queues.
  const named = inGroup(client, `names ${numberOf(keyName)}`)
  return redlock.withClient({ ...named, lockNames }) as Given
}
