import type { ThrottleResult } from '../acquire/results.ts'
import type { Client } from '../local/client.ts'
import { sleep, stopwatch } from '../util/clock.ts'

/** Ms at random, so that calls that wait for one window do not all ask at the same moment. */
const spread = 50

/**
 * Asks until a call passes. A refused call asks again when it can pass at the earliest, and is refused at
 * once if `wait` ends before that, or if the `budget` allows no other try.
 *
 * @param wait - Ms.
 * @throws the signal's reason.
 */
export const passWithin = async (
  { clock, random, budget, nodes }: Client,
  wait: number,
  signal: AbortSignal | undefined,
  pass: () => Promise<ThrottleResult>,
): Promise<ThrottleResult> => {
  const elapsed = stopwatch(clock)
  for (let tries = budget / (2 * nodes.length); ; tries--) {
    const result = await pass()
    if (result.ok || tries < 2) return result
    const pause = result.retryAfter + random() * spread
    if (pause > wait - elapsed()) return result
    await sleep(clock, pause, signal)
  }
}
