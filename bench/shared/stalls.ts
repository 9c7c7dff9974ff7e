// How often the event loop is looked at, in ms.
const interval = 10

/** Ms for which a process of a measurement may stand still. */
export const maxStall = 100

/**
 * Calls back when the event loop of this process has stood still for longer than `limit` ms, with the
 * time for which it has. A process that gets no processor time stands still, too.
 *
 * @returns a function that ends the watch.
 */
export const watchStalls = (limit: number, onStall: (time: number) => void): (() => void) => {
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    const late = now - last - interval
    last = now
    if (late > limit) onStall(late)
  }, interval)
  timer.unref()
  return () => clearInterval(timer)
}
