import { type Match, matches } from './libraries.ts'
import type { Library } from './library.ts'
import { type LibraryProcess, startLibrary } from './library-process.ts'
import type { Keys, Task } from './measured-process.ts'

/** The measurements of one library. */
export type Measured = {
  readonly match: Match
  readonly name: string
  /** Cycles per processor second, in the best slice of all repetitions. */
  readonly perSecond: { readonly [keys in Keys]: number }
  readonly repetitions: { readonly [keys in Keys]: readonly number[] }
  /** Growth of the JavaScript heap per cycle, once the compiler has done what it can. */
  readonly bytesPerCycle: number
  /** Heap per lock while all are held; measured only over nodes without any transport. */
  readonly bytesPerLock: number | undefined
}

/** Long enough for the hot code to be compiled. */
const warmUpSeconds = 1

// Room, in MB, for all that the cycles below allocate.
const largeHeap = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256']
const cyclesAllocated = 1000

/** Runs tasks of one library in a process in which nothing else has run. */
const runAlone = async (
  match: Match,
  library: Library,
  tasks: readonly Task[],
): Promise<number[]> => {
  const process = await startLibrary(match, library, largeHeap)
  try {
    const results: number[] = []
    for (const task of tasks) results.push(await process.run(task))
    return results
  } finally {
    await process.end()
  }
}

/** Cycles per second of all libraries in turn, so that other load on the machine affects all alike. */
const measureRates = async (
  match: Match,
  keys: Keys,
  { seconds, repeat }: { seconds: number; repeat: number },
): Promise<number[][]> => {
  const libraries = matches[match]
  const rates = libraries.map((): number[] => [])
  const processes: LibraryProcess[] = []
  try {
    for (const library of libraries) processes.push(await startLibrary(match, library, []))
    for (const { run } of processes) await run({ run: 'cycles', seconds: warmUpSeconds, keys })
    for (let turn = 0; turn < repeat; turn++) {
      for (const [index, { run }] of processes.entries()) {
        rates[index]!.push(await run({ run: 'cycles', seconds, keys }))
      }
    }
    return rates
  } finally {
    for (const { end } of processes) await end()
  }
}

/** Measures all libraries of a match. */
export const measure = async (
  match: Match,
  options: { seconds: number; repeat: number; locks: number },
): Promise<Measured[]> => {
  // In processes of their own, since the compiled code differs when all cycles lock one key.
  const fresh = await measureRates(match, 'fresh', options)
  const same = await measureRates(match, 'same', options)
  const { locks } = options
  const results: Measured[] = []
  for (const [index, library] of matches[match].entries()) {
    const repetitions = { fresh: fresh[index]!, same: same[index]! }
    const perSecond = {
      fresh: Math.max(...repetitions.fresh),
      same: Math.max(...repetitions.same),
    }
    const allocated = { run: 'allocated', cycles: cyclesAllocated } as const
    const samples = await runAlone(
      match,
      library,
      Array.from({ length: 5 }, () => allocated),
    )
    const [bytesPerLock] =
      match === 'stub nodes, no HTTP'
        ? await runAlone(match, library, [{ run: 'held', locks }])
        : []
    const bytesPerCycle = Math.min(...samples)
    results.push({ match, name: library.name, perSecond, repetitions, bytesPerCycle, bytesPerLock })
  }
  return results
}
