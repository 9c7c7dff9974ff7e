/** The pay-as-you-go price of Upstash in USD per command, according to its price list of November 2026. */
const dollarsPerCommand = 0.2 / 100_000

/** The price of a million operations with this many commands each, in USD. */
export const dollarsPerMillion = (commands: number): number =>
  Math.round(commands * dollarsPerCommand * 1_000_000)
