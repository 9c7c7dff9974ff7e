import { randomFrom } from '../../../tools/random.ts'

/**
 * The kinds of histories. A `mixed` run contains only those whose percentage in `shares` is above 0.
 *
 * - `faults`: random calls during random faults
 * - `expiry`: the same over hours or days, so that counters expire, with clocks that differ widely
 * - `sick-burst`: several simultaneous clients while a minority of the nodes is faulty
 * - `regions`: the same with nodes and clients that are far apart
 * - `holders`: locks that are kept alive while nodes are faulty
 * - `lines`: calls of one process that wait for the same key
 * - `requests`: idempotent requests, whose processes crash at every step
 * - `once`: functions that run once, whose processes crash at every step
 * - `slots`: locks and throttles with a limit
 * - `wake-up`: waiting calls that are woken by a message when a lock is released
 * - `force`: random calls and forced releases during random faults
 * - `crowd`: many users of a process that has lost replies
 * - `stalls`: several simultaneous clients on a busy machine
 */
export const scenarioNames = [
  'faults',
  'expiry',
  'sick-burst',
  'regions',
  'holders',
  'lines',
  'requests',
  'once',
  'slots',
  'wake-up',
  'force',
  'crowd',
  'stalls',
] as const
export type ScenarioName = (typeof scenarioNames)[number]

/** With `mixed`, each history gets a random scenario. */
export const scenarioChoices = [...scenarioNames, 'mixed'] as const
export type ScenarioChoice = (typeof scenarioChoices)[number]

/** The share of each scenario in a mixed run, in percent. */
export const shares: Readonly<Record<ScenarioName, number>> = {
  faults: 70,
  expiry: 3,
  'sick-burst': 12,
  regions: 4,
  holders: 4,
  lines: 5,
  requests: 0,
  once: 0,
  slots: 0,
  'wake-up': 0,
  force: 0,
  crowd: 2,
  stalls: 0,
}

// The scenario is drawn with separate random numbers. So the history of a seed does not depend on whether its scenario
// was drawn or chosen.
const salt = 0x2c1b3c6d

/** The scenario of a seed. */
export const scenarioOf = (choice: ScenarioChoice, seed: number): ScenarioName => {
  if (choice !== 'mixed') return choice
  let left = 100 * randomFrom(seed ^ salt).unit()
  return scenarioNames.find((name) => (left -= shares[name]) < 0) ?? 'faults'
}
