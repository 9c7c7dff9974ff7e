import type { Random } from '../../../tools/random.ts'

/** How much of which fault a history has. Rates are per message or per second of true time. */
export type Weather = {
  readonly name: string
  /** Share of messages that never arrive: requests, and replies. */
  readonly requestLost: number
  readonly replyLost: number
  readonly duplicated: number
  readonly slow: number
  /** Answers that are none: 5xx, HTML, half a JSON, 429, a redirect, another's reply, no body. */
  readonly garbled: number
  readonly refused: number
  /** How long a message takes at most, one way, if it is not slow. */
  readonly distance: number
  /** Cuts between one process and one node; nodes that hang; scripts forgotten. */
  readonly cuts: number
  readonly hangs: number
  readonly flushes: number
  /** Processes that stop for a while, and for ever. */
  readonly pauses: number
  readonly crashes: number
  /** How far clocks of processes are off, in ms; how much they drift; how often they jump. */
  readonly skew: number
  readonly drift: number
  readonly processJumps: number
  readonly nodeJumps: number
  /** Servers that restart empty, or without their last writes; whether they are declared so. */
  readonly restarts: number
  readonly rollbacks: number
  readonly volatile: boolean
  /** Whether two nodes are one server under two urls. */
  readonly twins: boolean
}

const calm: Weather = {
  name: 'calm',
  requestLost: 0,
  replyLost: 0,
  duplicated: 0,
  slow: 0,
  distance: 6,
  garbled: 0,
  refused: 0,
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
  twins: false,
}

/** Draws some rate: often none, so that each fault is also met alone. */
const some = (random: Random, most: number): number =>
  random.chance(0.45) ? 0 : random.between(0, most)

const network = (random: Random): Partial<Weather> => ({
  requestLost: some(random, 0.15),
  replyLost: some(random, 0.15),
  duplicated: some(random, 0.12),
  slow: some(random, 0.15),
  distance: random.pick([6, 6, 6, 30]),
  garbled: some(random, 0.1),
  refused: some(random, 0.1),
  cuts: some(random, 3),
  hangs: some(random, 2),
  flushes: some(random, 2),
})

const processes = (random: Random): Partial<Weather> => ({
  pauses: some(random, 3),
  crashes: some(random, 0.7),
  skew: some(random, 150),
  drift: some(random, 1),
})

/** What a seed has in store. Most worlds keep to what the strong promises take for granted. */
export const drawWeather = (random: Random): Weather => {
  const kind = random.unit()
  if (kind < 0.15) {
    const distance = random.pick([6, 6, 30])
    return { ...calm, distance, drift: some(random, 1), skew: some(random, 150) }
  }
  const base = { ...calm, ...network(random), ...processes(random) }
  if (kind < 0.25) {
    const { replyLost, garbled } = base
    return { ...calm, name: 'tidy', replyLost, garbled }
  }
  if (kind < 0.5) return { ...base, name: 'network' }
  if (kind < 0.62) {
    const jumps = { processJumps: some(random, 4), skew: some(random, 20_000) }
    // One of a process's two clocks is always right then, which is enough.
    if (random.chance(0.4)) return { ...base, ...jumps, name: 'jumps', pauses: 0 }
    return { ...base, ...jumps, name: 'clocks', nodeJumps: random.between(0, 6) }
  }
  if (kind < 0.66) {
    return { ...base, name: 'storm', nodeJumps: random.between(6, 40), duplicated: 0.2, slow: 0.2 }
  }
  if (kind < 0.92) {
    return {
      ...base,
      ...(random.chance(0.5) && network(random)),
      name: 'data, volatile',
      volatile: true,
      // Far beyond what the counters follow, too.
      skew: random.chance(0.3) ? random.between(10_000, 60_000) : some(random, 150),
      restarts: random.between(0, 4),
      rollbacks: some(random, 3),
    }
  }
  if (kind < 0.96) {
    return { ...base, name: 'data', restarts: some(random, 4), rollbacks: some(random, 3) }
  }
  return { ...calm, ...(random.chance(0.5) && base), name: 'twins', crashes: 0, twins: true }
}

/** Whether clocks keep to what `driftFactor` allows: of a process, one of its two. */
export const hasHonestClocks = ({ processJumps, nodeJumps, pauses }: Weather): boolean =>
  nodeJumps === 0 && (processJumps === 0 || pauses === 0)

/**
 * Whether every request is executed soon and once, though its reply may not come back. (A node that
 * has refused is not released, and would keep what the same request brings it a second time.)
 */
export const isTidy = ({ name, distance }: Weather): boolean =>
  (name === 'calm' || name === 'tidy') && distance < 10

/** Whether no server forgets anything without abstaining afterwards. */
export const hasSafeData = ({ restarts, rollbacks, volatile }: Weather): boolean =>
  volatile || (restarts === 0 && rollbacks === 0)
