import type { World } from './world.ts'

/** The times of one burst, in ms from its start. */
type Burst = {
  /** When each winner received its answer. */
  readonly winners: readonly number[]
  /** When each client received its answer; `Infinity` if it received none in time. */
  readonly answers: readonly number[]
}

/** Bursts, and their total requests. */
export type Run = { readonly bursts: readonly Burst[]; readonly requests: number }

/** One burst: all clients ask for one key at the same moment. Winners release once all have answers. */
const runBurst = async (world: World, key: string): Promise<Burst> => {
  const { clients, now, until, rest } = world
  await world.prepare?.(key)
  const all = await clients()
  const begun = now()
  const asking = all.map(async (ask) => {
    const { state, release } = await ask(key)
    return { state, release, took: state === 'none' ? Infinity : now() - begun }
  })
  const answers = await until(Promise.all(asking))
  const winners = answers.filter(({ state }) => state === 'won')
  await until(Promise.all(winners.map(async ({ release }) => release?.())))
  await rest()
  return {
    winners: winners.map(({ took }) => took),
    answers: answers.map(({ took }) => took),
  }
}

const hasNoAnswer = ({ answers }: Burst): boolean => answers.every((time) => time === Infinity)

// The number of bursts without an answer after which a world is no longer measured.
const maxUnanswered = 3

/** Runs bursts in each world in turn, so that other load on the machine affects all of them equally. */
export const runBursts = async (worlds: readonly World[], count: number): Promise<Run[]> => {
  const sides = worlds.map((world) => ({ world, bursts: [] as Burst[] }))
  for (let turn = 0; turn < count; turn++) {
    // In reverse every other time, so that no world always follows the same one.
    for (const { world, bursts } of turn % 2 === 0 ? sides : sides.toReversed()) {
      if (bursts.filter(hasNoAnswer).length === maxUnanswered) continue
      bursts.push(await runBurst(world, `burst ${turn}`))
    }
  }
  return Promise.all(
    sides.map(async ({ world, bursts }) => ({ bursts, requests: await world.sent() })),
  )
}

/** Merges the bursts of several runs. */
export const merge = (runs: readonly Run[]): Run => ({
  bursts: runs.flatMap(({ bursts }) => bursts),
  requests: runs.reduce((sum, { requests }) => sum + requests, 0),
})
