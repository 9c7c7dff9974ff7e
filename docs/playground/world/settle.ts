/**
 * A function that resolves once all promise callbacks that are due have run. Browsers have no
 * `setImmediate`, and delay the timers that follow each other quickly.
 */
export const makeSettle = (): { settled: () => Promise<void>; close: () => void } => {
  const { port1, port2 } = new MessageChannel()
  let resume: (() => void) | undefined
  port1.addEventListener('message', () => resume?.())
  port1.start()
  return {
    settled: () =>
      new Promise((resolve) => {
        resume = resolve
        port2.postMessage(undefined)
      }),
    close: () => port1.close(),
  }
}
