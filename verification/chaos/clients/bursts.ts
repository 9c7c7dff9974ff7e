import { randomFrom } from '../../../tools/random.ts'
import { now } from '../campaign/history.ts'
import { bursts, type ProcessName, processes } from '../campaign/settings.ts'
import { shuffled } from '../nemesis/draw.ts'
import { sleep } from './sleep.ts'

/** What one client of a burst does, drawn beforehand. Times in ms. */
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

const slots = processes.flatMap(({ name }) =>
  Array.from({ length: bursts.clientsPerProcess }, (_, slot) => ({ name, slot })),
)

/**
 * The plans of one process for a burst. The number of the burst determines all plans, so that the
 * processes need not talk to each other.
 *
 * @param process - With its generation.
 */
export const plansOf = (number: number, process: string): BurstPlan[] => {
  const random = randomFrom(number)
  const size = random.pick(bursts.sizes)
  const { ttl, driftFactor } = random.pick(bursts.leases)
  const hold = random.between(...bursts.hold)
  const mode = random.pick(['parallel', 'frugal', 'mixed'] as const)
  const key = `burst-${number}`
  return shuffled(slots, random)
    .slice(0, size)
    .map(({ name, slot }) => ({
      name,
      slot,
      strategy: mode === 'mixed' ? random.pick(['parallel', 'frugal'] as const) : mode,
    }))
    .filter(({ name }) => name === (process.split('.')[0] as ProcessName))
    .map(({ slot, strategy }) => {
      const client = `${process}/burst-${slot}`
      const op = `${client}#${number}`
      return { op, client, key, kind: 'burst', ttl, driftFactor, strategy, hold }
    })
}

/**
 * Starts the plans of one process for each burst, at the same moment as the other processes: the
 * bursts are numbered by the monotonic clock, which all processes share. Resolves after `stop`, when
 * all of them have ended.
 */
export const runBursts = async (
  process: string,
  stop: AbortSignal,
  start: (plan: BurstPlan) => Promise<void>,
): Promise<void> => {
  const { interval, maxLate } = bursts
  const running = new Set<Promise<void>>()
  const nowMs = (): number => now() / 1e6
  while (!stop.aborted) {
    const number = Math.floor(nowMs() / interval) + 1
    await sleep(number * interval - nowMs(), stop)
    if (stop.aborted || nowMs() > number * interval + maxLate) continue
    for (const plan of plansOf(number, process)) {
      const ended = start(plan).finally(() => running.delete(ended))
      running.add(ended)
    }
  }
  await Promise.all(running)
}
