/** Upstash, pay as you go: USD per command, according to its price list of November 2026. */
const dollarsPerCommand = 0.2 / 100_000

/** USD for a million operations that take this many commands each. */
export const dollarsPerMillion = (commands: number): number =>
  Math.round(commands * dollarsPerCommand * 1_000_000)
