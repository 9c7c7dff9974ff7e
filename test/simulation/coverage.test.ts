import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { enoughFor, expectedCoverage } from '../../verification/simulation/checks/coverage.ts'
import {
  type ScenarioChoice,
  scenarioNames,
} from '../../verification/simulation/scenarios/names.ts'

const { scripts } = JSON.parse(
  await readFile(resolve(import.meta.dirname, '../../package.json'), 'utf8'),
) as { scripts: Record<string, string> }

/** The runs of the simulation in CI: the scenario and the number of histories of each. */
const runs = Array.from(
  scripts['ci:virtual']!.matchAll(/npm:(simulate:\S+)/g),
  ([, name = '']): [ScenarioChoice, number] => {
    const scenario = /--scenario (\S+)/.exec(scripts[name]!)?.[1] ?? 'mixed'
    return [scenario as ScenarioChoice, Number(/--histories (\d+)/.exec(scripts[name]!)?.[1])]
  },
)

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
