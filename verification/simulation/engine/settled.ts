// After each event, the loop lets the code under test run until it waits for the next event.

// Node reports unhandled rejections only between turns of its event loop. So one in this many histories runs each event
// in a separate turn.
const turnEvery = 8

/** A turn of Node's event loop: it runs all promise callbacks, and reports unhandled rejections. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Resolves once all promise callbacks have run. This is much cheaper than a turn. */
const drained = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))

/** Returns the function that a history with this seed awaits after each event. Both variants yield the same events. */
export const settledFor = (seed: number): (() => Promise<void>) =>
  seed % turnEvery === 0 ? turn : drained
