import type { Redlock } from '../../src/index.ts'
import { type Burst, type BurstFigures, figuresOf } from '../shared/burst-figures.ts'
import type { VirtualClients } from './virtual-clients.ts'

/** The answer to one call. What was acquired is released once all clients have their answers. */
type Answer = { readonly ok: boolean; readonly release?: () => Promise<unknown> }

/** How each client of a burst calls, once. */
export type Call = (client: Redlock, key: string) => Promise<Answer>

/** Acquires a lock. */
export const lockOnce: Call = async (client, key) => {
  const result = await client.tryAcquire(key)
  return result.ok ? { ok: true, release: () => result.lock.release() } : result
}

/** Passes a throttle, or is rejected. */
export const throttleOnce: Call = (client, key) => client.throttle(key, { window: 30_000 })

/** Bursts, and the requests of all of them. */
export type Run = { readonly bursts: readonly Burst[]; readonly requests: number }

/**
 * Runs bursts: all clients call at the same moment, with one key.
 *
 * @param clientsOf - The clients of one burst. Default: those of the world, which come again and again.
 */
export const runBursts = async (
  world: VirtualClients,
  bursts: number,
  call: Call,
  clientsOf: () => readonly Redlock[] = () => world.clients,
): Promise<Run> => {
  const { now, sent, until, settle } = world
  const results: Burst[] = []
  const before = sent()
  for (let burst = 0; burst < bursts; burst++) {
    const begun = now()
    const callOnce = async (client: Redlock) => {
      const answer = await call(client, `burst ${burst}`)
      return { ...answer, took: now() - begun }
    }
    const answers = await until(Promise.all(clientsOf().map(callOnce)))
    const winners = answers.filter(({ ok }) => ok)
    await until(Promise.all(winners.map(async ({ release }) => release?.())))
    await settle()
    results.push({
      winners: winners.map(({ took }) => took),
      answers: answers.map(({ took }) => took),
    })
  }
  return { bursts: results, requests: sent() - before }
}

/** The figures of such bursts. */
export const measureBursts = async (
  ...args: Parameters<typeof runBursts>
): Promise<BurstFigures> => {
  const { bursts, requests } = await runBursts(...args)
  return figuresOf(bursts, requests)
}
