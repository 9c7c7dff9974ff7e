import { fileURLToPath } from 'node:url'
import { startChild } from '../../tools/child-process.ts'
import { type Match, matches } from './libraries.ts'
import type { Keys, Settings, Task } from './measured-process.ts'

/** The measurements of one library. */
export type Measured = {
  readonly match: Match
  readonly name: string
  /** Cycles per CPU second, in the best slice of all repetitions. */
  readonly perSecond: { readonly [keys in Keys]: number }
  readonly repetitions: { readonly [keys in Keys]: readonly number[] }
  /** Growth of the JavaScript heap per cycle, in optimized code. */
  readonly bytesPerCycle: number
  /** Heap per lock while all are held; measured only over nodes without transport. */
  readonly bytesPerLock: number | undefined
}

/** Long enough for the hot code to be compiled. */
const warmUpSeconds = 1

// Room, in MB, for everything that the cycles below allocate.
const largeHeap = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256']
const cyclesAllocated = 1000

const file = fileURLToPath(new URL('measured-process.ts', import.meta.url))

/** Starts a process that loads one library. */
const startLibrary = async (settings: Settings, nodeOptions: readonly string[] = []) => {
  const child = await startChild(file, settings, { isQuiet: true, nodeOptions })
  const run = (task: Task): Promise<number> => {
    const result = child.nextMessage<number>()
    child.send(task)
    return result
  }
  return { run, end: child.end }
}

/** Runs tasks of one library in a new process. */
const runAlone = async (settings: Settings, tasks: readonly Task[]): Promise<number[]> => {
  const { run, end } = await startLibrary(settings, largeHeap)
  try {
    const results: number[] = []
    for (const task of tasks) results.push(await run(task))
    return results
  } finally {
    await end()
  }
}

/**
 * Measures the cycles per second of all libraries in turn, so that other load on the machine affects them equally.
 * Returns the repetitions of each library.
 */
const measureRates = async (
  match: Match,
  keys: Keys,
  { seconds, repeat }: { seconds: number; repeat: number },
): Promise<number[][]> => {
  await using started = new AsyncDisposableStack()
  const sides: { run: (task: Task) => Promise<number>; rates: number[] }[] = []
  for (const { name } of matches[match]) {
    const { run, end } = await startLibrary({ match, name })
    started.defer(end)
    sides.push({ run, rates: [] })
  }
  for (const { run } of sides) await run({ run: 'cycles', seconds: warmUpSeconds, keys })
  for (let turn = 0; turn < repeat; turn++) {
    for (const { run, rates } of sides) rates.push(await run({ run: 'cycles', seconds, keys }))
  }
  return sides.map(({ rates }) => rates)
}

/** Measures all libraries of a match. */
export const measure = async (
  match: Match,
  options: { seconds: number; repeat: number; locks: number },
): Promise<Measured[]> => {
  // In separate processes, because the compiled code differs when all cycles lock the same key.
  const fresh = await measureRates(match, 'fresh', options)
  const same = await measureRates(match, 'same', options)
  const { locks } = options
  const results: Measured[] = []
  for (const [index, { name }] of matches[match].entries()) {
    const repetitions = { fresh: fresh[index]!, same: same[index]! }
    const perSecond = { fresh: Math.max(...repetitions.fresh), same: Math.max(...repetitions.same) }
    const allocated = { run: 'allocated', cycles: cyclesAllocated } as const
    const samples = await runAlone(
      { match, name },
      Array.from({ length: 5 }, () => allocated),
    )
    const held: Task[] = match === 'stub nodes, no HTTP' ? [{ run: 'held', locks }] : []
    const [bytesPerLock] = await runAlone({ match, name }, held)
    const bytesPerCycle = Math.min(...samples)
    results.push({ match, name, perSecond, repetitions, bytesPerCycle, bytesPerLock })
  }
  return results
}
