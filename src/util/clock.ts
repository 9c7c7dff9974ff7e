/**
 * The source of time for the client. All values are in ms. `monotonic` must never step back;
 * `setTimer` returns a function that cancels the timer. Replace it in simulations and tests.
 */
export type Clock = {
  readonly wall: () => number
  readonly monotonic: () => number
  readonly setTimer: (callback: () => void, delay: number) => () => void
}

// A longer delay overflows the 32-bit counter of `setTimeout`, and the timer fires immediately.
const maxDelay = 2 ** 31 - 1

/** The clock of the runtime. It is not read at import, because Workers forbid this at global scope. */
export const systemClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (callback, delay) => {
    const timer = setTimeout(callback, Math.max(0, Math.min(delay, maxDelay)))
    return () => clearTimeout(timer)
  },
}

/**
 * Reads a stopwatch, in ms. The result is the larger time of two clocks: the monotonic clock pauses while a virtual
 * machine is frozen, and the wall clock jumps.
 *
 * @param isPace - Whether no lock depends on the time. Then only the monotonic clock is read, at half the cost.
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

/** Calls back when the signal aborts. @returns a function that removes the listener. */
export const onAbort = (signal: AbortSignal | undefined, callback: () => void): (() => void) => {
  signal?.addEventListener('abort', callback)
  return () => signal?.removeEventListener('abort', callback)
}

/**
 * Waits for `delay` ms. The `wake` function that `onStart` receives ends the wait early.
 *
 * @throws the signal's reason, immediately, if the signal aborts or has aborted.
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

/** Passes work that continues after a call to `waitUntil`, if there is one. */
export const defer = (
  waitUntil: ((work: Promise<unknown>) => void) | undefined,
  work: Promise<void>,
): void => {
  // `waitUntil` was checked when the call began. It may still throw once the request has ended.
  try {
    waitUntil?.(work)
  } catch {}
}

/** Announces work to `waitUntil` before it begins. @returns the function that ends it. */
export const deferred = (waitUntil: (work: Promise<unknown>) => void): (() => void) => {
  let end = (): void => {}
  const work = new Promise<void>((resolve) => (end = resolve))
  defer(waitUntil, work)
  return end
}

/** A promise that also rejects when the signal aborts. `begin` returns a function that runs at its end. */
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
