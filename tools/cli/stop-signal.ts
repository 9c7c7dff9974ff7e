/**
 * Aborts when this process is asked to end (Ctrl-C, SIGTERM, a closed terminal). After the call such
 * a signal no longer ends the process by itself, so that everything it started can be ended first.
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
