import { join } from 'node:path'
import { copyWithPatches } from '../../tools/patch-copy.ts'
import { addWinnerCounts, type WinnerCounts } from '../simulation/checks/winner-counts.ts'
import { type WinnerRate, winnerRates } from '../simulation/checks/winner-rates.ts'
import { type Result, runAll } from '../simulation/engine/pool.ts'
import type { ScenarioChoice } from '../simulation/scenarios/names.ts'
import type { Mutant } from './list.ts'

/** What killed a mutant; no check if it survived, or if the sources as they are violate the same. */
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

/** The first promise that is broken. */
const brokenOf = (winners: WinnerCounts): WinnerRate | undefined =>
  winnerRates(winners).find(({ isKept }) => !isKept)

const textOf = ({ weather, lost, bursts }: WinnerRate): string =>
  `${weather}: ${lost} of ${bursts} bursts without a winner`

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
    folders: ['src', 'tools', 'verification/history', 'verification/simulation'],
    patches: [mutant],
    prefix: '.mutant-',
  })
  const file = join(copy.directory, 'verification', 'simulation', 'engine', 'batch.ts')
  const scenario: ScenarioChoice = mutant.scenario ?? 'mixed'
  const simulate = (source: string | undefined, first: number, count: number): Promise<Result> =>
    runAll({ scenario, first, count, failures: 1 }, undefined, source)
  const survived = (histories: number): Fate => ({ mutant, histories })
  const unclear = (what: string, histories: number): Fate => ({
    mutant,
    text: `without a mutant, ${what}`,
    histories,
  })
  const tryOne = async (seed: number, histories: number): Promise<Fate> => {
    const [failure] = (await simulate(file, seed, 1)).failures
    if (!failure) return survived(histories)
    const { scenario: played, violations } = failure
    const { check, text } = violations[0]!
    // A violation of the sources as they are says nothing about the mutant.
    const usual = (await simulate(undefined, seed, 1)).failures
    if (usual.length > 0) return unclear(`${played}, seed ${seed} violates ${check}`, histories)
    return { mutant, seed, scenario: played, check, text, histories }
  }
  const tryAll = async (): Promise<Fate> => {
    const winners: WinnerCounts = new Map()
    for (let done = 0; done < maxHistories;) {
      const step = Math.min(Math.max(firstStep, done), maxHistories - done)
      const result = await simulate(file, done + 1, step)
      done += step
      const [failure] = result.failures
      if (failure) return tryOne(failure.seed, done)
      addWinnerCounts(winners, result.winners)
      const broken = brokenOf(winners)
      if (!broken) continue
      const usual = brokenOf((await simulate(undefined, 1, done)).winners)
      if (usual) return unclear(textOf(usual), done)
      return { mutant, scenario, check: 'winners', text: textOf(broken), histories: done }
    }
    return survived(maxHistories)
  }
  try {
    const fate = known === undefined ? undefined : await tryOne(known, 1)
    return fate?.check === undefined ? await tryAll() : fate
  } finally {
    await copy.remove()
  }
}
