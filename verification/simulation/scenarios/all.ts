import { randomFrom } from '../../../tools/random.ts'
import { faults } from './faults.ts'
import type { HistoryKind } from './kind.ts'
import { far } from './regions.ts'
import { sickBurst } from './sick-burst.ts'

export const scenarioNames = ['faults', 'sick-burst', 'regions'] as const
export type ScenarioName = (typeof scenarioNames)[number]

/** `mixed`: each history draws its scenario. */
export const scenarioChoices = [...scenarioNames, 'mixed'] as const
export type ScenarioChoice = (typeof scenarioChoices)[number]

export const kinds: Readonly<Record<ScenarioName, HistoryKind>> = {
  faults,
  'sick-burst': sickBurst,
  regions: far,
}

/** How many histories of a mixed run belong to each scenario, in percent. */
const shares: Readonly<Record<ScenarioName, number>> = { faults: 80, 'sick-burst': 15, regions: 5 }

// The scenario of a history is drawn apart from the history, which is the same with `--scenario`.
const salt = 0x2c1b3c6d

/** The scenario of a seed. */
export const scenarioOf = (choice: ScenarioChoice, seed: number): ScenarioName => {
  if (choice !== 'mixed') return choice
  let left = 100 * randomFrom(seed ^ salt).unit()
  return scenarioNames.find((name) => (left -= shares[name]) < 0) ?? 'faults'
}
