import { median } from '../quantile.ts'
import type { Keys, Task } from './child.ts'
import { startPlayer } from './processes.ts'
import { type Match, matches } from './sides.ts'

/** What was measured of one side. */
export type Measured = {
  readonly match: Match
  readonly name: string
  /** Cycles, each about another key, or all about one. */
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

/** All sides in turn, and that so many times: what else the machine does meets all of them. */
export const measure = async (
  match: Match,
  { seconds, repeat, locks }: { seconds: number; repeat: number; locks: number },
): Promise<Measured[]> => {
  const { sides } = matches[match]
  const players = sides.map((side) => startPlayer(match, side, []))
  const rates = sides.map((): { [keys in Keys]: number[] } => ({ fresh: [], same: [] }))
  try {
    for (const player of players) {
      for (const keys of ['fresh', 'same'] as const) {
        await player.ask({ run: 'cycles', seconds: warmUpSeconds, keys })
      }
    }
    for (let turn = 0; turn < repeat; turn++) {
      for (const keys of ['fresh', 'same'] as const) {
        for (const [index, player] of players.entries()) {
          rates[index]![keys].push(await player.ask({ run: 'cycles', seconds, keys }))
        }
      }
    }
  } finally {
    for (const { end } of players) end()
  }
  const results: Measured[] = []
  for (const [index, side] of sides.entries()) {
    const repetitions = rates[index]!
    const perSecond = { fresh: median(repetitions.fresh)!, same: median(repetitions.same)! }
    const allocated = { run: 'allocated', cycles: cyclesAllocated } as const
    const samples = await askAlone(match, side, [allocated, allocated, allocated])
    const [bytesPerLock] =
      match === 'stub nodes, no HTTP' ? await askAlone(match, side, [{ run: 'held', locks }]) : []
    results.push({
      match,
      name: side.name,
      perSecond,
      repetitions,
      bytesPerCycle: median(samples)!,
      bytesPerLock,
    })
  }
  return results
}
