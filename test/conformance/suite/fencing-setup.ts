import { Redlock, type RedlockOptions } from '../../../src/index.ts'
import type { Fault } from '../../support/faults.ts'
import type { Setup } from './setup.ts'

/** A counter far above those that nodes start from their clocks. */
export const later = 2 * Date.now()

/** The clients and helpers that the tests of fencing tokens share, in addition to {@link Setup}. */
export const setUpFencing = ({ servers, connect }: Setup) => {
  /** A client with the default strategy, whose nodes all have the fault. */
  const redlockWith = (fault?: Fault, options: Partial<RedlockOptions> = {}): Redlock =>
    new Redlock({ nodes: servers.map((_, index) => connect(index, fault)), ...options })
  return {
    redlockWith,
    redlock: redlockWith(),
    setCounters: async (key: string, counters: readonly number[]): Promise<void> => {
      for (const [index, counter] of counters.entries()) {
        await servers[index]!.command('SET', `lock:f:${key}`, `${counter} another`, 'PX', 60_000)
      }
    },
    countersOf: (key: string): Promise<number[]> =>
      Promise.all(
        servers.map(async ({ command }) =>
          Number(((await command('GET', `lock:f:${key}`)) as string | null)?.split(' ')[0]),
        ),
      ),
  }
}
