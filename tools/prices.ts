/** Upstash, pay as you go: USD per command, as its price list said in November 2026. */
const dollarsPerCommand = 0.2 / 100_000

/** USD for a million of something that takes so many commands. */
export const dollarsPerMillion = (commands: number): number =>
  Math.round(commands * dollarsPerCommand * 1_000_000)
