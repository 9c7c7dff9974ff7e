import { describe, expect, it } from 'vitest'
import { groups } from '../../tools/ci/steps.ts'
import { enoughFor, expectedCoverage } from '../../verification/simulation/checks/coverage.ts'
import {
  type ScenarioChoice,
  scenarioNames,
} from '../../verification/simulation/scenarios/names.ts'

/** The runs of the simulation in CI: the scenario and the number of histories of each. */
const runs = groups['virtual']!.steps.filter(({ command }) =>
  command.startsWith('npm run verify -- simulate '),
).map(({ command }): [ScenarioChoice, number] => {
  const scenario = /--scenario (\S+)/.exec(command)?.[1] ?? 'mixed'
  return [scenario as ScenarioChoice, Number(/--histories (\d+)/.exec(command)?.[1])]
})

describe('the coverage of the simulation', () => {
  it('is checked in CI for every scenario', () => {
    // A run with fewer histories, such as that with a fresh seed, looks for violations only.
    const large = runs.filter(([scenario, histories]) => histories >= enoughFor(scenario))
    const checked = new Set(large.flatMap(([scenario]) => expectedCoverage(scenario)))
    for (const name of scenarioNames) {
      expect(expectedCoverage(name).length).toBeGreaterThan(0)
      for (const what of expectedCoverage(name)) expect(checked).toContain(what)
    }
  })
})
