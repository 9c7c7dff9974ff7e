// How the event loop lets the code under test run until it waits for the next event.

// Node reports promises whose rejection nobody has handled only between turns of its own event loop, so in
// one of so many histories every event has a turn of its own.
const turnEvery = 8

/** A turn of Node's event loop: it runs all promise callbacks, and reports unhandled rejections. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Resolves once all promise callbacks have run. It costs a fraction of a turn. */
const drained = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))

/** Returns what a history with this seed waits with after each event. Its events are the same with either. */
export const settledFor = (seed: number): (() => Promise<void>) =>
  seed % turnEvery === 0 ? turn : drained
