import { type Random, randomFrom } from '../../../tools/random.ts'
import { now } from '../campaign/history.ts'
import { bursts, type ProcessName, processes } from '../campaign/settings.ts'
import { shuffled } from '../nemesis/draw.ts'
import { sleep } from '../../../tools/faults.ts'

/** The plan of one client of a burst, which is drawn in advance. Times are in ms. */
export type BurstPlan = {
  readonly op: string
  readonly client: string
  readonly key: string
  readonly kind: 'burst'
  readonly ttl: number
  readonly driftFactor: number
  readonly strategy: 'parallel' | 'frugal'
  /** How long the winner keeps the lock alive. */
  readonly hold: number
}

/** A client of bursts in a process. */
type Slot = { readonly name: ProcessName; readonly slot: number }
type Draft = { readonly slot: Slot; readonly plan: Omit<BurstPlan, 'op' | 'client'> }

const slotsOf = (isFar: boolean): Slot[] =>
  processes
    .filter(({ distance }) => distance > 0 === isFar)
    .flatMap(({ name }) =>
      Array.from({ length: bursts.clientsPerProcess }, (_, slot) => ({ name, slot })),
    )
const near = slotsOf(false)
const far = slotsOf(true)

const strategies = ['parallel', 'frugal'] as const

/** Draws the clients that call for one key at the same moment. */
const drawNear = (number: number, random: Random): Draft[] => {
  const { ttl, driftFactor } = random.pick(bursts.leases)
  const hold = random.between(...bursts.hold)
  const mode = random.pick([...strategies, 'mixed'] as const)
  const key = `burst-${number}`
  return shuffled(near, random)
    .slice(0, random.pick(bursts.sizes))
    .map((slot) => {
      const strategy = mode === 'mixed' ? random.pick(strategies) : mode
      return { slot, plan: { key, kind: 'burst', ttl, driftFactor, strategy, hold } }
    })
}

/** Draws the distant client, if this is its turn. */
const drawFar = (number: number, random: Random): Draft[] => {
  if (number % bursts.farShare !== 0) return []
  const { ttl, driftFactor } = bursts.farLease
  const strategy = random.pick(strategies)
  const hold = bursts.hold[1]
  const key = `far-${number}`
  const plan = { key, kind: 'burst', ttl, driftFactor, strategy, hold } as const
  return [{ slot: random.pick(far), plan }]
}

/**
 * The plans of one process for a burst. The number of the burst determines all plans, so that the processes need not
 * communicate.
 *
 * @param process - The name of the process, including its generation.
 */
export const plansOf = (number: number, process: string): BurstPlan[] => {
  const random = randomFrom(number)
  return [...drawNear(number, random), ...drawFar(number, random)]
    .filter(({ slot: { name } }) => process.startsWith(`${name}.`))
    .map(({ slot: { slot }, plan }) => {
      const client = `${process}/burst-${slot}`
      return Object.assign(plan, { op: `${client}#${number}`, client })
    })
}

/**
 * Runs the plans of one process for each burst, starting at the same moment as the other processes. The number of a
 * burst comes from the monotonic clock, which all processes share. Resolves after `stop`, once all plans have ended.
 */
export const runBursts = async (
  process: string,
  stop: AbortSignal,
  start: (plan: BurstPlan) => Promise<void>,
): Promise<void> => {
  const { interval, maxLate } = bursts
  const running = new Set<Promise<void>>()
  while (!stop.aborted) {
    const number = Math.floor(now() / interval) + 1
    await sleep(Math.max(0, number * interval - now()), stop)
    if (stop.aborted || now() > number * interval + maxLate) continue
    for (const plan of plansOf(number, process)) {
      const ended = start(plan).finally(() => running.delete(ended))
      running.add(ended)
    }
  }
  await Promise.all(running)
}
