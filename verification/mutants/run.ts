import { join } from 'node:path'
import { copyWithPatches } from '../../tools/patch-copy.ts'
import { addWinnerCounts, type WinnerCounts } from '../simulation/checks/winner-counts.ts'
import { winnerRates } from '../simulation/checks/winner-rates.ts'
import { type Result, runAll } from '../simulation/engine/pool.ts'
import type { ScenarioChoice } from '../simulation/scenarios/names.ts'
import type { Mutant } from './list.ts'

/** What killed a mutant; no check if it survived. */
export type Fate = {
  readonly mutant: Mutant
  readonly check?: string
  readonly text?: string
  readonly scenario?: ScenarioChoice
  /** The history that failed; undefined where the check is one of all histories so far. */
  readonly seed?: number
  readonly histories: number
}

/** Where to find it: the seed of a history, or that of the first and the last. */
export const seedsOf = ({ check, seed, histories }: Fate): string => {
  if (check === undefined) return ''
  return seed === undefined ? `1 to ${histories}` : String(seed)
}

// The histories from the first seed on whose bursts are compared with the promise first. Then it is twice as
// many each time.
const firstStep = 2_000

/**
 * Simulates the sources without one safeguard, seed after seed, until a check fails, or until fewer bursts
 * have a winner than is promised. The seed is the lowest that kills the mutant, however many threads there are.
 *
 * @param known - A seed to try before all others.
 */
export const tryMutant = async (
  mutant: Mutant,
  maxHistories: number,
  known?: number,
): Promise<Fate> => {
  const copy = await copyWithPatches({
    folders: ['src', 'tools', 'verification/simulation'],
    patches: [mutant],
    prefix: '.mutant-',
  })
  const file = join(copy.directory, 'verification', 'simulation', 'engine', 'batch.ts')
  const scenario: ScenarioChoice = mutant.scenario ?? 'mixed'
  const simulate = (first: number, count: number): Promise<Result> =>
    runAll({ scenario, first, count, failures: 1 }, undefined, file)
  const fateOf = ({ failures: [failure] }: Result, histories: number): Fate => {
    if (!failure) return { mutant, histories }
    const { seed, scenario: played, violations } = failure
    const { check, text } = violations[0]!
    return { mutant, seed, scenario: played, check, text, histories }
  }
  const tryAll = async (): Promise<Fate> => {
    const winners: WinnerCounts = new Map()
    for (let done = 0; done < maxHistories;) {
      const step = Math.min(Math.max(firstStep, done), maxHistories - done)
      const result = await simulate(done + 1, step)
      done += step
      if (result.failures.length > 0) return fateOf(result, done)
      addWinnerCounts(winners, result.winners)
      const broken = winnerRates(winners).find(({ isKept }) => !isKept)
      if (!broken) continue
      const text = `${broken.weather}: ${broken.lost} of ${broken.bursts} bursts without a winner`
      return { mutant, scenario, check: 'winners', text, histories: done }
    }
    return { mutant, histories: maxHistories }
  }
  try {
    const fate = known === undefined ? undefined : fateOf(await simulate(known, 1), 1)
    return fate?.check === undefined ? await tryAll() : fate
  } finally {
    await copy.remove()
  }
}
