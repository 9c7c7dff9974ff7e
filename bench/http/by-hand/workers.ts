import type { Running } from '../../../tools/servers/runtime.ts'

/**
 * The Workers that are compared: with the middleware; with handlers in the same app that send the same
 * requests by hand; and with neither middleware nor app nor timeouts.
 */
export const names = ['middleware', 'byHand', 'bare'] as const

/** One value of each Worker. */
export type OfWorkers<T> = { readonly [name in (typeof names)[number]]: T }

/** Makes a value for each Worker. */
export const ofWorkers = <T>(valueOf: (name: keyof OfWorkers<T>) => T): OfWorkers<T> => ({
  middleware: valueOf('middleware'),
  byHand: valueOf('byHand'),
  bare: valueOf('bare'),
})

/** Starts the Workers at the same time. If one of them fails to start, the others are stopped. */
export const startAll = async (
  start: OfWorkers<() => Promise<Running>>,
): Promise<OfWorkers<Running>> => {
  const results = await Promise.allSettled(names.map((name) => start[name]()))
  const started = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failed = results.find((one) => one.status === 'rejected')
  if (failed) {
    await Promise.all(started.map((worker) => worker.stop()))
    throw failed.reason
  }
  return ofWorkers((name) => started[names.indexOf(name)]!)
}

/** Stops the Workers. */
export const stopAll = async (workers: OfWorkers<Running>): Promise<void> => {
  await Promise.all(names.map((name) => workers[name].stop()))
}
