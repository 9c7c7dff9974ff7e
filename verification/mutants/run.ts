import { join } from 'node:path'
import { copyWithPatches } from '../../tools/patch-copy.ts'
import { runAll } from '../simulation/engine/pool.ts'
import type { ScenarioChoice, ScenarioName } from '../simulation/scenarios/names.ts'
import type { Mutant } from './list.ts'

/** The check that killed a mutant, and the scenario and seed of the history; none if it survived. */
export type Fate = {
  readonly mutant: Mutant
  readonly seed?: number
  readonly scenario?: ScenarioName
  readonly check?: string
  readonly text?: string
  readonly histories: number
}

/**
 * Simulates the sources without one safeguard, seed after seed, until a check fails. The seed is the
 * lowest that kills the mutant, however many threads there are.
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
  const tryFrom = async (first: number, count: number): Promise<Fate> => {
    const batch = { scenario, first, count, failures: 1 }
    const { failures, histories } = await runAll(batch, undefined, file)
    const [failure] = failures
    if (!failure) return { mutant, histories }
    const { seed, scenario: played, violations } = failure
    const { check, text } = violations[0]!
    return { mutant, seed, scenario: played, check, text, histories }
  }
  try {
    const fate = known === undefined ? undefined : await tryFrom(known, 1)
    return fate?.seed === undefined ? await tryFrom(1, maxHistories) : fate
  } finally {
    await copy.remove()
  }
}
