/**
 * The client's source of time, which simulations and tests can replace. All values are in ms. `monotonic` must never go
 * backwards. `setTimer` returns a function that cancels the timer.
 */
export type Clock = {
  readonly wall: () => number
  readonly monotonic: () => number
  readonly setTimer: (callback: () => void, delay: number) => () => void
}

// A longer delay would overflow the 32-bit counter of `setTimeout`, and the timer would fire immediately.
const maxDelay = 2 ** 31 - 1

/** The clock of the runtime. It is never read during import, because Workers do not allow that in the global scope. */
export const systemClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (callback, delay) => {
    const timer = setTimeout(callback, Math.max(0, Math.min(delay, maxDelay)))
    return () => clearTimeout(timer)
  },
}

/**
 * Returns the time since the stopwatch was started, in ms. Uses the larger time of two clocks, because the monotonic
 * clock stops while a virtual machine is frozen, and the wall clock can jump.
 *
 * @param isPace - Whether the time does not decide the validity of a lock. If so, only the monotonic clock is read, at
 *   half the cost.
 */
export type Stopwatch = (isPace?: boolean) => number

/** Starts a stopwatch. */
export const stopwatch = (clock: Clock): Stopwatch => {
  const wall = clock.wall()
  const monotonic = clock.monotonic()
  return (isPace) => {
    const passed = clock.monotonic() - monotonic
    return isPace ? passed : Math.max(clock.wall() - wall, passed)
  }
}

/** Calls `callback` when the signal aborts. @returns a function that removes the listener. */
export const onAbort = (signal: AbortSignal | undefined, callback: () => void): (() => void) => {
  signal?.addEventListener('abort', callback)
  return () => signal?.removeEventListener('abort', callback)
}

/**
 * Waits for `delay` ms. `onStart` receives a function that ends the wait early.
 *
 * @throws the signal's reason, as soon as the signal aborts or if it has already aborted.
 */
export const sleep = (
  clock: Clock,
  delay: number,
  signal?: AbortSignal,
  onStart?: (wake: () => void) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const end = (): void => {
      cancelTimer()
      stopListening()
      resolve()
    }
    const cancelTimer = clock.setTimer(end, delay)
    const stopListening = onAbort(signal, () => {
      reject(signal?.reason)
      end()
    })
    onStart?.(end)
  })

/** Passes work that continues after the call has returned to `waitUntil`, if there is one. */
export const defer = (
  waitUntil: ((work: Promise<unknown>) => void) | undefined,
  work: Promise<void>,
): void => {
  // `waitUntil` was checked at the start of the call, but can still throw once the request has ended.
  try {
    waitUntil?.(work)
  } catch {}
}

/** Registers work with `waitUntil` before the work begins. @returns a function to call when the work is done. */
export const deferred = (waitUntil: (work: Promise<unknown>) => void): (() => void) => {
  let end = (): void => {}
  const work = new Promise<void>((resolve) => (end = resolve))
  defer(waitUntil, work)
  return end
}

/**
 * A promise that also rejects when the signal aborts. `begin` returns a cleanup function, which runs when the promise
 * settles.
 */
export const untilAborted = <T>(
  signal: AbortSignal,
  begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> => {
  let end = (): void => {}
  let stopListening = (): void => {}
  const promise = new Promise<T>((resolve, reject) => {
    signal.throwIfAborted()
    stopListening = onAbort(signal, () => reject(signal.reason))
    end = begin(resolve, reject)
  })
  return promise.finally(() => {
    stopListening()
    end()
  })
}
