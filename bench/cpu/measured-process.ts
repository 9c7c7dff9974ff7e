import { type Acquire, type Match, matches } from './sides.ts'

/** Whether each cycle is about another key, or all about one. */
export type Keys = 'fresh' | 'same'

/** What a process is asked to do, one after the other. */
export type Task =
  | { readonly run: 'cycles'; readonly seconds: number; readonly keys: Keys }
  | { readonly run: 'allocated'; readonly cycles: number }
  | { readonly run: 'held'; readonly locks: number }

// One library in one process of its own: what is compiled for it, and what it leaves behind, is its
// own. It ends with its parent.

const [match, name] = process.argv.slice(2) as [Match, string]
const { open } = matches[match].sides.find((side) => side.name === name)!

const cycle = async (acquire: Acquire): Promise<void> => {
  const held = await acquire()
  await held.release()
}

/** Lets timers and callbacks of the event loop have their turn, which promises alone never do. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Seconds of the processor since. What other processes take, or its helpers for GC, is not in it. */
const stopwatch = (): (() => number) => {
  const begun = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(begun)
    return (user + system) / 1_000_000
  }
}

/** Cycles per second. */
const countCycles = async (seconds: number, keys: Keys): Promise<number> => {
  const acquireOf = open()
  const same = acquireOf('report')
  let cycles = 0
  let took = 0
  const elapsed = stopwatch()
  while (took < seconds) {
    for (let index = 0; index < 100; index++) {
      await cycle(keys === 'same' ? same : acquireOf(`report:${cycles + index}`))
    }
    cycles += 100
    await turn()
    took = elapsed()
  }
  return cycles / took
}

const heap = (): number => process.memoryUsage().heapUsed

/** What runs often is compiled and nothing is left to do; what nobody needs is gone. */
const settle = async (): Promise<void> => {
  for (let index = 0; index < 3; index++) {
    await turn()
    gc!()
  }
}

/** Bytes per cycle, in a young generation so large that nothing is collected in between. */
const measureAllocated = async (cycles: number): Promise<number> => {
  const acquireOf = open()
  for (let index = 0; index < 10 * cycles; index++) await cycle(acquireOf(`warm-up:${index}`))
  await settle()
  const before = heap()
  for (let index = 0; index < cycles; index++) await cycle(acquireOf(`report:${index}`))
  return (heap() - before) / cycles
}

/** Bytes that each of so many locks takes while all of them are held, with what holds its key. */
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
  if (holds.length !== locks) throw new Error('They are still held here')
  return bytes
}

const perform = (task: Task): Promise<number> => {
  if (task.run === 'cycles') return countCycles(task.seconds, task.keys)
  return task.run === 'allocated' ? measureAllocated(task.cycles) : measureHeld(task.locks)
}

process.once('disconnect', () => process.exit())
process.on('message', (task: Task) => {
  void perform(task).then(
    (result) => process.send!(result),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
