import { availableParallelism } from 'node:os'
import type { Mutant } from '../mutants/list.ts'
import type { ScenarioName } from '../simulation/scenarios/names.ts'
import { openThreads } from './threads.ts'

/** Scenarios about features and times that no world has. */
const absent: ReadonlySet<ScenarioName> = new Set([
  'crowd',
  'holders',
  'lines',
  'regions',
  'sick-burst',
  'slots',
  'stalls',
  'wake-up',
])

/** Whether the safeguard concerns a promise about the states that the worlds have. */
export const isInWorlds = ({ scenario }: Mutant): boolean =>
  scenario === undefined || !absent.has(scenario)

/** Whether the search notices that a safeguard is missing. */
export type Fate = {
  readonly mutant: string
  readonly check?: string
  readonly world?: string
  /** How many states it took, in all worlds. */
  readonly states: number
}

type Limits = {
  readonly worlds: readonly string[]
  /** The most states of a world. */
  readonly states: number
  readonly seed: number
}

// Most mutants are found soon in one of the worlds, so each world is searched a little first.
const firstStates = 2_000

const tryMutant = async (mutant: Mutant, { worlds, states, seed }: Limits): Promise<Fate> => {
  const threads = openThreads(mutant)
  const { name } = mutant
  let searched = 0
  try {
    for (const most of [firstStates, states])
      for (const world of worlds) {
        const found = await threads.search({ world, states: most, seed, isLong: false })
        searched += found.states
        const { violation } = found
        if (violation) return { mutant: name, check: violation.check, world, states: searched }
      }
    return { mutant: name, states: searched }
  } finally {
    await threads.close()
  }
}

/** Searches the worlds without each safeguard in turn, until a promise is broken. */
export const tryMutants = async (
  mutants: readonly Mutant[],
  limits: Limits,
  onFate: (fate: Fate) => void,
): Promise<Fate[]> => {
  const fates: Fate[] = []
  const remaining = mutants.entries()
  const tryRemaining = async (): Promise<void> => {
    for (const [index, mutant] of remaining) {
      const fate = await tryMutant(mutant, limits)
      fates[index] = fate
      onFate(fate)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, tryRemaining))
  return fates
}
