import { median } from '../shared/quantile.ts'
import type { Keys, Task } from './child.ts'
import { startPlayer } from './processes.ts'
import { type Match, matches } from './sides.ts'

/** What was measured of one side. */
export type Measured = {
  readonly match: Match
  readonly name: string
  /** Cycles per second of the processor, each about another key, or all about one. */
  readonly perSecond: { readonly [keys in Keys]: number }
  /** Each of the repetitions, whose medians those are. */
  readonly repetitions: { readonly [keys in Keys]: readonly number[] }
  /** Of the JavaScript heap. */
  readonly bytesPerCycle: number
  /** With all of them held at once; only over nodes without any transport. */
  readonly bytesPerLock: number | undefined
}

/** Until what runs often has been compiled, by far. */
const warmUpSeconds = 1

// Room for all that the cycles below allocate: MB.
const roomy = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256']
const cyclesAllocated = 1000

/** Takes the answers of one side in a process that nothing else has run in. */
const askAlone = async (
  match: Match,
  side: (typeof matches)[Match]['sides'][number],
  tasks: readonly Task[],
): Promise<number[]> => {
  const player = startPlayer(match, side, roomy)
  try {
    const answers: number[] = []
    for (const task of tasks) answers.push(await player.ask(task))
    return answers
  } finally {
    player.end()
  }
}

/** Cycles per second of all sides in turn, so that what else the machine does meets all of them. */
const measureRates = async (
  match: Match,
  keys: Keys,
  { seconds, repeat }: { seconds: number; repeat: number },
): Promise<number[][]> => {
  const { sides } = matches[match]
  const players = sides.map((side) => startPlayer(match, side, []))
  const rates = sides.map((): number[] => [])
  try {
    for (const { ask } of players) await ask({ run: 'cycles', seconds: warmUpSeconds, keys })
    for (let turn = 0; turn < repeat; turn++) {
      for (const [index, { ask }] of players.entries()) {
        rates[index]!.push(await ask({ run: 'cycles', seconds, keys }))
      }
    }
    return rates
  } finally {
    for (const { end } of players) end()
  }
}

export const measure = async (
  match: Match,
  options: { seconds: number; repeat: number; locks: number },
): Promise<Measured[]> => {
  // What is compiled for one key is another thing: each in processes of their own.
  const fresh = await measureRates(match, 'fresh', options)
  const same = await measureRates(match, 'same', options)
  const { locks } = options
  const results: Measured[] = []
  for (const [index, side] of matches[match].sides.entries()) {
    const repetitions = { fresh: fresh[index]!, same: same[index]! }
    const perSecond = { fresh: median(repetitions.fresh)!, same: median(repetitions.same)! }
    const allocated = { run: 'allocated', cycles: cyclesAllocated } as const
    const samples = await askAlone(match, side, [allocated, allocated, allocated])
    const [bytesPerLock] =
      match === 'stub nodes, no HTTP' ? await askAlone(match, side, [{ run: 'held', locks }]) : []
    const bytesPerCycle = median(samples)!
    results.push({ match, name: side.name, perSecond, repetitions, bytesPerCycle, bytesPerLock })
  }
  return results
}
