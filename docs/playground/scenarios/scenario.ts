import { defaults, type Settings } from '../world/settings.ts'

/** A run to begin with. */
export type Scenario = {
  /** As in the url. */
  readonly id: string
  readonly title: string
  /** A summary of the scenario, with a hint for its viewer. */
  readonly text: string
  readonly settings: Settings
}

/** A scenario whose settings differ from the defaults. */
export const scenario = (
  id: string,
  title: string,
  text: string,
  settings: Partial<Settings> = {},
): Scenario => ({ id, title, text, settings: { ...defaults, ...settings, scenario: id } })
