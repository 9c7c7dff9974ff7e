import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { applyPatch, type Patch, root } from '../../tools/patch-copy.ts'
import { addWinnerCounts, type WinnerCounts } from '../simulation/checks/winner-counts.ts'
import { type WinnerRate, winnerRates } from '../simulation/checks/winner-rates.ts'
import type { Batch } from '../simulation/engine/batch.ts'
import { openPool, type Pool, type Result, runAll } from '../simulation/engine/pool.ts'
import type { ScenarioChoice } from '../simulation/scenarios/names.ts'
import type { Mutant } from './list.ts'

/**
 * The result of a mutant. It has no check if the mutant survived, or if the original sources violate the same check.
 */
export type Fate = {
  readonly mutant: Mutant
  readonly check?: string
  readonly text?: string
  readonly scenario?: ScenarioChoice
  /** The history that failed; undefined if the check covers all histories so far. */
  readonly seed?: number
  readonly histories: number
}

/** How to reproduce it: the seed of a history, or the first and the last seed. */
export const seedsOf = ({ check, seed, histories, mutant: { first = 1 } }: Fate): string => {
  if (check === undefined) return ''
  return seed === undefined ? `${first} to ${first + histories - 1}` : String(seed)
}

/** The seeds that killed a mutant in an earlier run: one history, or several together. */
export type Known = { readonly seed: number } | { readonly histories: number }

// Histories run in steps: this many in the first step, and each later step doubles the total.
const firstStep = 250
// A single failed history is more specific, so bursts count only after this many histories without a failure.
const minHistories = 2_000

const patchedBatch = fileURLToPath(new URL('patched-batch.ts', import.meta.url))

/** The first broken promise. */
const brokenOf = (winners: WinnerCounts): WinnerRate | undefined =>
  winnerRates(winners).find(({ isKept }) => !isKept)

const textOf = ({ weather, lost, bursts }: WinnerRate): string =>
  `${weather}: ${lost} of ${bursts} bursts without a winner`

/** Threads that run histories of the patched sources. @throws if the patch does not apply. */
export const openPatched = async ({ name, file, find, replace }: Patch): Promise<Pool> => {
  const patch = { name, file, find, replace }
  applyPatch(await readFile(join(root, file), 'utf8'), patch)
  return openPool(patchedBatch, patch)
}

/**
 * Simulates the sources without one safeguard, seed after seed. It stops when a check fails, or when fewer bursts
 * than promised have a winner. It finds the lowest seed that kills the mutant, whatever the number of threads.
 *
 * @param known - Seeds to try first.
 * @param runUsual - Runs histories of the original sources.
 */
export const tryMutant = async (
  mutant: Mutant,
  maxHistories: number,
  known?: Known,
  runUsual: (batch: Batch) => Promise<Result> = runAll,
): Promise<Fate> => {
  const pool = await openPatched(mutant)
  const { scenario = 'mixed' as ScenarioChoice, first: firstSeed = 1 } = mutant
  const rangeOf = (first: number, count: number): Batch => ({ scenario, first, count, failures: 1 })
  const survived = (histories: number): Fate => ({ mutant, histories })
  const unclear = (what: string, histories: number): Fate => ({
    mutant,
    text: `without a mutant, ${what}`,
    histories,
  })
  const tryOne = async (seed: number, histories: number): Promise<Fate> => {
    const [failure] = (await pool.run(rangeOf(seed, 1))).failures
    if (!failure) return survived(histories)
    const { scenario: played, violations } = failure
    const { check, text } = violations[0]!
    // A violation that the original sources share does not count against the mutant.
    const usual = (await runUsual(rangeOf(seed, 1))).failures
    if (usual.length > 0) return unclear(`${played}, seed ${seed} violates ${check}`, histories)
    return { mutant, seed, scenario: played, check, text, histories }
  }
  const stepOf = (done: number, max: number): number =>
    Math.min(Math.max(firstStep, done), max - done)
  /** The bursts of the original sources, in the steps that all mutants share. */
  const countUsual = async (histories: number): Promise<WinnerCounts> => {
    const winners: WinnerCounts = new Map()
    for (let done = 0; done < histories;) {
      const step = stepOf(done, histories)
      addWinnerCounts(winners, (await runUsual(rangeOf(firstSeed + done, step))).winners)
      done += step
    }
    return winners
  }
  /** Compares the bursts of the first histories with the promise. */
  const tryBursts = async (winners: WinnerCounts, histories: number): Promise<Fate> => {
    const broken = brokenOf(winners)
    if (!broken) return survived(histories)
    const usual = brokenOf(await countUsual(histories))
    if (usual) return unclear(textOf(usual), histories)
    return { mutant, scenario, check: 'winners', text: textOf(broken), histories }
  }
  const tryAll = async (): Promise<Fate> => {
    const looks: (readonly [WinnerCounts, number])[] = []
    const enough = known && 'histories' in known ? known.histories : minHistories
    for (let done = 0; done < maxHistories;) {
      const step = stepOf(done, maxHistories)
      const result = await pool.run(rangeOf(firstSeed + done, step))
      done += step
      const [failure] = result.failures
      if (failure) return tryOne(failure.seed, done)
      const winners: WinnerCounts = new Map(looks.at(-1)?.[0])
      addWinnerCounts(winners, result.winners)
      looks.push([winners, done])
      if (done < Math.min(enough, maxHistories)) continue
      const first = looks.find(([counts]) => brokenOf(counts))
      if (first) return tryBursts(...first)
    }
    return survived(maxHistories)
  }
  try {
    const fate = known && 'seed' in known ? await tryOne(known.seed, 1) : undefined
    return fate?.check === undefined ? await tryAll() : fate
  } finally {
    await pool.close()
  }
}
