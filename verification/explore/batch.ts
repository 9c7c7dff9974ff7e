import { type Search, search } from './search.ts'
import { worlds } from './worlds.ts'

/** One world to search, in a separate thread. */
export type Batch = {
  readonly world: string
  /** The search stops after this many states. */
  readonly states: number
  readonly seed: number
  /** Whether to search within the wider bounds. */
  readonly isLong: boolean
}

// Searches create millions of errors, whose stack traces are never read.
Error.stackTraceLimit = 0

const unhandled: unknown[] = []
process.on('unhandledRejection', (reason) => unhandled.push(reason))

const runBatch = async ({ world: name, states, seed, isLong }: Batch): Promise<Search> => {
  const world = worlds.find((one) => one.name === name)!
  const bounds = isLong ? world.longBounds : world.bounds
  const found = await search({ ...world, bounds }, states, seed)
  if (unhandled.length === 0 || found.violation) return found
  const text = String(unhandled.splice(0)[0])
  return { ...found, violation: { check: 'unhandled rejection', text, path: [] } }
}

// The thread pool calls the default export of a module.
export default runBatch
