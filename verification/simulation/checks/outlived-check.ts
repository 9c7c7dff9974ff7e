import type { Lock } from '../../../src/index.ts'
import type { Process } from '../engine/process.ts'
import { hasAccurateClocks } from '../workload/fault-rates.ts'
import type { Scenario } from '../workload/scenario.ts'

/** Checks that a quorum of servers keeps a lock for at least as long as its holder relies on it. */
export const checkOutlived = (
  { recorder, rates, servers, quorum, options }: Scenario,
  { name }: Process,
  { keys, value, expiresIn }: Lock,
): void => {
  if (!hasAccurateClocks(rates) || rates.restarts > 0 || rates.rollbacks > 0) return
  // The holder of a lock does not detect a forced release immediately.
  if (recorder.operations().some(({ kind }) => kind === 'force')) return
  for (const key of keys) {
    const left = servers
      .map(({ entries, wall }) => {
        const entry = entries.get(`lock:l:${key}`)
        return entry?.value.startsWith(value) ? entry.expiresAt - wall() : 0
      })
      .sort((a, b) => b - a)[quorum - 1]!
    // The rates of server and client clocks differ by at most the drift factor.
    const certain = expiresIn * (1 - options.driftFactor) - 2
    if (certain > left * (1 + options.driftFactor)) {
      recorder.violated(
        'validity',
        `${name} relies on ${key} for ${expiresIn.toFixed(0)} ms, and a quorum for ${left.toFixed(0)}`,
      )
    }
  }
}
