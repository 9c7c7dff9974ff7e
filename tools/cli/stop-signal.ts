/**
 * Returns a signal that aborts on Ctrl-C, on SIGTERM and when the terminal is closed. These no longer end the process
 * directly, so that it can first stop everything that it has started.
 */
export const stopSignal = (): AbortSignal => {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => controller.abort(name))
  }
  return controller.signal
}

/** Waits until the signal aborts. */
export const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
