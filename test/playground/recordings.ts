import { scenarios } from '../../docs/playground/scenarios/all.ts'
import type { Recording } from '../../docs/playground/world/recording.ts'
import { run } from '../../docs/playground/world/run.ts'
import type { Settings } from '../../docs/playground/world/settings.ts'

/** Runs a scenario with other settings. */
export const runScenario = (id: string, change: Partial<Settings> = {}): Promise<Recording> => {
  const scenario = scenarios.find((one) => one.id === id)
  if (!scenario) throw new Error(`no scenario ${id}`)
  return run({ ...scenario.settings, ...change })
}

/** The client that got the lock first; undefined if none did. */
export const winnerOf = ({ holds }: Recording): number | undefined => holds[0]?.client
