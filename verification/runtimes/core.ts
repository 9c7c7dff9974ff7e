import { adopt, isLockedError, isLockLostError, type Redlock, serialize } from '../../src/index.ts'

/** The arguments of a check inside the runtime. */
export type CheckArguments = {
  readonly redlock: Redlock
  /** Another client of the same nodes. */
  readonly other: Redlock
  readonly key: string
  /** Receives work that continues after a call, when a Lambda would freeze. */
  readonly waitUntil: (work: Promise<unknown>) => void
}

/** Checks by name. Each resolves to `ok` or rejects. */
export type Checks = Readonly<Record<string, (args: CheckArguments) => Promise<string>>>

export const equal = (got: unknown, wanted: unknown, what: string): void => {
  if (got !== wanted) throw new Error(`${what}: ${String(got)}, not ${String(wanted)}`)
}

/** The checks of the library in every runtime. */
export const core: Checks = {
  'acquire, extend, release': async ({ redlock, key, waitUntil }) => {
    const lock = await redlock.acquire(key, { waitUntil })
    equal(lock.held, true, 'held')
    equal((await redlock.tryAcquire(key, { waitUntil })).ok, false, 'another try')
    await lock.extend(10_000)
    equal(lock.expiresIn > 5000, true, 'extended')
    equal(await lock.release(), 'released', 'release')
    equal(lock.held, false, 'held after release')
    return 'ok'
  },
  'a fencing token that rises': async ({ redlock, key, waitUntil }) => {
    const first = await redlock.acquire(key, { waitUntil })
    const low = await first.fencingToken()
    await first.release()
    const second = await redlock.acquire(key, { waitUntil })
    const high = await second.fencingToken()
    await second.release()
    equal(high > low, true, `${high} above ${low}`)
    return 'ok'
  },
  'distinct errors, and a wait that ends': async ({ redlock, key, waitUntil }) => {
    const lock = await redlock.acquire(key, { waitUntil })
    const error = await redlock
      .acquire(key, { wait: 500, waitUntil })
      .catch((reason: unknown) => reason)
    equal(isLockedError(error), true, `LockedError: ${String(error)}`)
    await lock.release()
    const late = await lock.extend().catch((reason: unknown) => reason)
    equal(isLockLostError(late), true, `LockLostError: ${String(late)}`)
    return 'ok'
  },
  'a signal that cancels the wait': async ({ redlock, key, waitUntil }) => {
    const lock = await redlock.acquire(key, { waitUntil })
    const controller = new AbortController()
    const waiting = redlock.acquire(key, {
      wait: 60_000,
      signal: controller.signal,
      waitUntil,
    })
    setTimeout(() => controller.abort(new Error('enough')), 50)
    const error = await waiting.catch((reason: unknown) => reason)
    equal((error as Error).message, 'enough', 'reason')
    await lock.release()
    return 'ok'
  },
  'using, extended and lost': async ({ redlock, key, waitUntil }) => {
    let aborted: unknown
    const using = redlock.using(
      key,
      // Long enough for a runtime that pauses for a moment to extend it in time.
      { ttl: 2000, maxHold: 4500, waitUntil },
      async (lock) => {
        await new Promise((resolve) => setTimeout(resolve, 3000))
        equal(lock.held, true, 'held after one ttl and a half')
        await new Promise((resolve) => lock.signal.addEventListener('abort', resolve))
        aborted = isLockLostError(lock.signal.reason)
      },
    )
    equal(isLockLostError(await using.catch((error: unknown) => error)), true, 'using rejects')
    equal(aborted, true, 'lost at the end')
    return 'ok'
  },
  'a burst with one winner': async ({ redlock, key, waitUntil }) => {
    const burst = await Promise.all([1, 2, 3].map(() => redlock.tryAcquire(key, { waitUntil })))
    equal(burst.filter(({ ok }) => ok).length, 1, 'winners')
    for (const result of burst) if (result.ok) await result.lock.release()
    return 'ok'
  },
  'a lock adopted from its JSON': async ({ redlock, key, waitUntil }) => {
    const lock = await redlock.acquire(key, { waitUntil })
    const adopted = adopt(redlock, JSON.stringify(serialize(lock)), { waitUntil })
    await adopted.extend()
    equal(await adopted.release(), 'released', 'release')
    return 'ok'
  },
}
