/**
 * Aborts when this process is asked to end (Ctrl-C, SIGTERM, a closed terminal). After this call, the signal no
 * longer ends the process directly: whatever it started can be stopped first.
 */
export const stopSignal = (): AbortSignal => {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => controller.abort(name))
  }
  return controller.signal
}

/** Resolves when the signal aborts. */
export const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
