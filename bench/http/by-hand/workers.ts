import type { Running } from '../../../tools/servers/runtime.ts'

/**
 * The Workers that are compared. One has the middleware, and one has handlers in the same app that send the same
 * requests by hand. The third has no middleware, app or timeouts.
 */
export const names = ['middleware', 'byHand', 'bare'] as const

/** One value of each Worker. */
export type OfWorkers<T> = { readonly [name in (typeof names)[number]]: T }

/** Creates a value for each Worker. */
export const ofWorkers = <T>(valueOf: (name: keyof OfWorkers<T>) => T): OfWorkers<T> => ({
  middleware: valueOf('middleware'),
  byHand: valueOf('byHand'),
  bare: valueOf('bare'),
})

/** Starts the Workers, which end with the stack. */
export const startAll = async (
  start: OfWorkers<() => Promise<Running>>,
  stack: AsyncDisposableStack,
): Promise<OfWorkers<Running>> => {
  const run = async (name: keyof typeof start): Promise<Running> => {
    const worker = await start[name]()
    stack.defer(worker.stop)
    return worker
  }
  return {
    middleware: await run('middleware'),
    byHand: await run('byHand'),
    bare: await run('bare'),
  }
}
