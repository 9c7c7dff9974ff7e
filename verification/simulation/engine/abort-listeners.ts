/** Calls `abort` as soon as the signal is aborted. */
export type OnAbort = (signal: AbortSignal, abort: () => void) => void

/**
 * Registers one listener per signal, no matter how many requests share it. One listener per request would take more
 * time than anything else in the simulation.
 */
export const makeAbortListeners = (): OnAbort => {
  const callbacks = new Map<AbortSignal, (() => void)[]>()
  return (signal, abort) => {
    if (signal.aborted) return abort()
    const known = callbacks.get(signal)
    if (known) return void known.push(abort)
    const all = [abort]
    callbacks.set(signal, all)
    signal.addEventListener('abort', () => all.forEach((one) => one()))
  }
}
