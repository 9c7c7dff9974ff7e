import { settingsFromParent } from '../../tools/child-process.ts'
import { type Match, matches } from './libraries.ts'
import type { Acquire } from './no-library.ts'

// The process of one library, which ends with its parent. Compiled code and garbage of one library cannot affect
// another.

export type Settings = { readonly match: Match; readonly name: string }

/** Whether each cycle locks another key, or all lock the same one. */
export type Keys = 'fresh' | 'same'

/** A measurement; a process runs one at a time. */
export type Task =
  | { readonly run: 'cycles'; readonly seconds: number; readonly keys: Keys }
  | { readonly run: 'allocated'; readonly cycles: number }
  | { readonly run: 'held'; readonly locks: number }

const { match, name } = await settingsFromParent<Settings>()
const { open } = matches[match].find((library) => library.name === name)!

const cycle = async (acquire: Acquire): Promise<void> => {
  const held = await acquire()
  const result = await held.release()
  if (result === 'unconfirmed') throw new Error('The stub nodes did not release the lock')
}

/** Lets the event loop run timers and callbacks; awaiting promises alone would starve them. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** CPU seconds of this thread since the call, without other processes and GC threads. */
const stopwatch = (): (() => number) => {
  const begun = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(begun)
    return (user + system) / 1_000_000
  }
}

/** Long enough for a thousand cycles, and short enough to fall between other work of the machine. */
const slice = 0.1

/** Cycles per second, in the best slice of this many seconds. */
const countCycles = async (seconds: number, keys: Keys): Promise<number> => {
  const acquireOf = open()
  const same = acquireOf('report')
  const elapsed = stopwatch()
  let best = 0
  let cycles = 0
  let begun = 0
  let counted = 0
  while (begun < seconds) {
    for (let index = 0; index < 100; index++) {
      await cycle(keys === 'same' ? same : acquireOf(`report:${cycles++}`))
    }
    counted += 100
    await turn()
    const now = elapsed()
    if (now - begun < slice) continue
    best = Math.max(best, counted / (now - begun))
    begun = now
    counted = 0
  }
  return best
}

const heap = (): number => process.memoryUsage().heapUsed

/** Waits until pending callbacks have run, and collects the garbage. */
const settle = async (): Promise<void> => {
  for (let index = 0; index < 3; index++) {
    await turn()
    gc!()
  }
}

/**
 * Bytes per cycle, with a young generation so large that no collection runs in between. Before the cycles, only the
 * young generation is collected. A full collection would discard compiled code, and interpreted code allocates more.
 */
const measureAllocated = async (cycles: number): Promise<number> => {
  const acquireOf = open()
  for (let index = 0; index < 10 * cycles; index++) await cycle(acquireOf(`warm-up:${index}`))
  await turn()
  gc!({ type: 'minor' })
  const before = heap()
  for (let index = 0; index < cycles; index++) await cycle(acquireOf(`report:${index}`))
  return (heap() - before) / cycles
}

/** Bytes per lock while all of them are held, including the object for its key. */
const measureHeld = async (locks: number): Promise<number> => {
  const acquireOf = open()
  const holds: unknown[] = Array.from({ length: locks })
  await cycle(acquireOf('warm-up'))
  await settle()
  const before = heap()
  for (let index = 0; index < locks; index++) {
    const acquire = acquireOf(`report:${index}`)
    holds[index] = [acquire, await acquire()]
    if (index % 1000 === 0) await turn()
  }
  await settle()
  const bytes = (heap() - before) / locks
  if (holds.length !== locks) throw new Error('Some locks were collected')
  return bytes
}

const measure = (task: Task): Promise<number> => {
  if (task.run === 'cycles') return countCycles(task.seconds, task.keys)
  return task.run === 'allocated' ? measureAllocated(task.cycles) : measureHeld(task.locks)
}

process.on('message', (task: Task) => {
  void measure(task).then(
    (result) => process.send!(result),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.send!({ isUp: true })
