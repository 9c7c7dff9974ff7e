import type { Random } from '../../../tools/random.ts'
import type { Settings } from './build-scenario.ts'
import type { BurstCall, Target } from './burst.ts'
import type { Scenario } from './scenario.ts'
import { startClient } from './simulated-client.ts'

/** The parameters for drawing the calls in a burst. Times are in ms. */
export type BurstSettings = {
  /** The minimum and maximum number of calls. */
  readonly size: readonly [min: number, max: number]
  /** The maximum time between two calls. */
  readonly spread: number
  /** A `wait` of at least this many ms is long enough to find a winner. */
  readonly longWait: number
}

// The share of bursts whose calls do not wait, and the share whose calls wait long enough. In all other bursts, calls
// do not wait long enough.
const promptShare = 0.6
const longShare = 0.25

/**
 * Draws a burst with a separate process for each call. In some bursts, only some calls wait. Throttles never wait.
 */
export const drawBurst = (
  scenario: Scenario,
  { isThrottle }: Target,
  { size: [min, max], spread, longWait }: BurstSettings,
): BurstCall[] => {
  const { random } = scenario.loop
  const share = random.unit()
  const isMixed = random.chance(0.5)
  const drawWait = (): number => {
    if (isThrottle || share < promptShare || (isMixed && random.chance(0.5))) return 0
    return share < promptShare + longShare
      ? random.between(longWait, 3 * longWait)
      : random.between(1, longWait / 5)
  }
  return Array.from({ length: random.whole(min, max) }, (_, index) => ({
    client: startClient(scenario, `b${index + 1}`),
    delay: random.between(0, spread),
    wait: drawWait(),
  }))
}

/** Draws the request of a burst: a lock, a lock on several keys, or a throttle. */
export const drawTarget = ({ loop: { random }, options }: Scenario): Target => ({
  key: random.pick(['burst', 'burst', ['burst', 'and another']]),
  isThrottle: random.chance(0.25),
  ttl: options.ttl,
})

/** Draws the settings of a scenario with bursts whose clients differ only in their queues. */
export const drawBurstSettings = (
  random: Random,
  ttl: number,
): Pick<Settings, 'keys' | 'maxTtl' | 'options' | 'checksForSecrets'> => ({
  keys: ['burst'],
  maxTtl: ttl,
  options: {
    ttl,
    driftFactor: 0.01,
    nodeTimeout: undefined,
    retry: {},
    localQueue: random.chance(0.5),
  },
  checksForSecrets: random.chance(0.1),
})
