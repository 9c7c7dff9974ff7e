import type { Random } from '../../../tools/random.ts'

/** The frequency of each fault in a history. Times in ms. */
export type FaultRates = {
  /** The name of the combination of faults; see `drawFaultRates`. */
  readonly profile: string
  /** Faults of messages, each as a share of the messages from 0 to 1. */
  readonly requestLost: number
  readonly replyLost: number
  readonly duplicated: number
  readonly slow: number
  /** An invalid reply (5xx, HTML, truncated JSON, 429, a redirect), or the reply to another request. */
  readonly garbled: number
  /** The connection is refused. */
  readonly refused: number
  /** The connection is reset before the reply has arrived. */
  readonly reset: number
  /** The maximum one-way delay of a message that is not slow. */
  readonly distance: number
  /** Faults per second: cut links between a process and a node, hanging nodes, flushed scripts. */
  readonly cuts: number
  readonly hangs: number
  readonly flushes: number
  /** Faults of processes, per second. */
  readonly pauses: number
  readonly crashes: number
  /** The maximum difference between wall clocks. */
  readonly skew: number
  /** The share of `driftFactor` by which clocks drift apart, from 0 to 1. */
  readonly drift: number
  /** Wall clocks that jump, per second: of processes, and of nodes. */
  readonly processJumps: number
  readonly nodeJumps: number
  /** Servers that restart without data, or without their last writes, per second (divided by 8). */
  readonly restarts: number
  readonly rollbacks: number
  /** Whether nodes are declared `volatile`, so that they abstain after a restart. */
  readonly volatile: boolean
  /** Whether two nodes are the same server with different URLs. */
  readonly duplicateNode: boolean
  /** URLs that are rerouted to another server, per second. */
  readonly reroutes: number
}

/** No faults. */
export const calm: FaultRates = {
  profile: 'calm',
  requestLost: 0,
  replyLost: 0,
  duplicated: 0,
  slow: 0,
  distance: 6,
  garbled: 0,
  refused: 0,
  reset: 0,
  cuts: 0,
  hangs: 0,
  flushes: 0,
  pauses: 0,
  crashes: 0,
  skew: 0,
  drift: 0,
  processJumps: 0,
  nodeJumps: 0,
  restarts: 0,
  rollbacks: 0,
  volatile: false,
  duplicateNode: false,
  reroutes: 0,
}

/** Draws a rate. It is often 0, so that each fault also occurs alone. */
const drawRate = (random: Random, max: number): number =>
  random.chance(0.45) ? 0 : random.between(0, max)

const drawNetworkRates = (random: Random): Partial<FaultRates> => ({
  requestLost: drawRate(random, 0.15),
  replyLost: drawRate(random, 0.15),
  duplicated: drawRate(random, 0.12),
  slow: drawRate(random, 0.15),
  distance: random.pick([6, 6, 6, 30]),
  garbled: drawRate(random, 0.1),
  refused: drawRate(random, 0.1),
  reset: drawRate(random, 0.15),
  cuts: drawRate(random, 3),
  hangs: drawRate(random, 2),
  flushes: drawRate(random, 2),
})

const drawProcessRates = (random: Random): Partial<FaultRates> => ({
  pauses: drawRate(random, 3),
  crashes: drawRate(random, 0.7),
  skew: drawRate(random, 150),
  drift: drawRate(random, 1),
})

/** Draws the faults of a history. Most profiles comply with the assumptions of all guarantees. */
export const drawFaultRates = (random: Random): FaultRates => {
  const share = random.unit()
  if (share < 0.15) {
    const distance = random.pick([6, 6, 30])
    return { ...calm, distance, drift: drawRate(random, 1), skew: drawRate(random, 150) }
  }
  const base = { ...calm, ...drawNetworkRates(random), ...drawProcessRates(random) }
  if (share < 0.25) {
    // All requests are still executed soon: see `executesAsSent`.
    const { replyLost, garbled, reset } = base
    return { ...calm, profile: 'tidy', replyLost, garbled, reset }
  }
  if (share < 0.5) return { ...base, profile: 'network' }
  if (share < 0.62) {
    const jumps = { processJumps: drawRate(random, 4), skew: drawRate(random, 20_000) }
    // Without pauses, the monotonic clock of each process is accurate, which is enough.
    if (random.chance(0.4)) return { ...base, ...jumps, profile: 'jumps', pauses: 0 }
    return { ...base, ...jumps, profile: 'clocks', nodeJumps: random.between(0, 6) }
  }
  if (share < 0.66) {
    const nodeJumps = random.between(6, 40)
    return { ...base, profile: 'storm', nodeJumps, duplicated: 0.2, slow: 0.2 }
  }
  if (share < 0.92) {
    return {
      ...base,
      ...(random.chance(0.5) && drawNetworkRates(random)),
      profile: 'data, volatile',
      volatile: true,
      // Some clocks are farther apart than fencing counters tolerate.
      skew: random.chance(0.3) ? random.between(10_000, 60_000) : drawRate(random, 150),
      restarts: random.between(0, 4),
      rollbacks: drawRate(random, 3),
    }
  }
  if (share < 0.96) {
    const restarts = drawRate(random, 4)
    return { ...base, profile: 'data', restarts, rollbacks: drawRate(random, 3) }
  }
  const some = random.chance(0.5) && base
  const reroutes = drawRate(random, 10)
  return { ...calm, ...some, profile: 'twins', crashes: 0, duplicateNode: true, reroutes }
}

/**
 * Whether clocks comply with `driftFactor`. One accurate clock per process is enough. Jumps affect only the wall clock,
 * and pauses only the monotonic clock.
 */
export const hasAccurateClocks = ({ processJumps, nodeJumps, pauses }: FaultRates): boolean =>
  nodeJumps === 0 && (processJumps === 0 || pauses === 0)

/**
 * Whether every request is executed soon, and no more often than the client sent it, even if the reply is lost.
 * (Otherwise, a duplicate can leave a lock on a node that has rejected the call.)
 */
export const executesAsSent = ({ profile, distance }: FaultRates): boolean =>
  /(^|, )(calm|tidy)$/.test(profile) && distance < 10

/** Whether messages of healthy nodes can be lost. */
export const losesMessages = ({ requestLost, replyLost, reset }: FaultRates): boolean =>
  requestLost + replyLost + reset > 0

/** Whether every server that loses data is quarantined afterwards. */
export const hasSafeData = ({ restarts, rollbacks, volatile }: FaultRates): boolean =>
  volatile || (restarts === 0 && rollbacks === 0)
