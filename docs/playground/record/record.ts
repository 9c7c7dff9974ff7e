import type { Recording, Recordings } from '../recording.ts'
import { doubleClicks } from './double-clicks.ts'
import { layOut } from './lay-out.ts'
import { type Scene, scenes } from './scenes.ts'
import { makeWorld } from './world.ts'
import site from '../../package.json' with { type: 'json' }

// Ms after which each scene is over.
const longest = 10_000
/** The network times of so many double clicks are drawn. */
const networks = 100

/** Runs the library in a scene. @throws when the simulation finds a guarantee broken. */
export const record = async (scene: Scene): Promise<Recording> => {
  const world = makeWorld(scene.seed, scene.nodes)
  const problems: unknown[] = []
  for (const played of scene.play(world)) played.catch((error: unknown) => problems.push(error))
  await world.loop.runUntil(longest)
  problems.push(...world.violations)
  if (problems.length > 0) throw new AggregateError(problems, `the scene ${scene.id} went wrong`)
  return layOut(scene, world.notes)
}

/** In how many of so many networks a double click has one holder, by the ID of its scene. */
const countWinners = async (networks: number): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const scene of doubleClicks) {
    let won = 0
    for (let seed = 1; seed <= networks; seed++) {
      const { bars } = await record({ ...scene, seed })
      if (bars.filter(({ label }) => label === 'holds').length === 1) won++
    }
    counts[scene.id] = won
  }
  return counts
}

/** The histories of all scenes, and how often double clicks have one holder. */
export const recordAll = async (): Promise<Recordings> => {
  const recordings: Record<string, Recording> = {}
  // One after the other, since they share the runtime.
  for (const scene of [...doubleClicks, ...scenes]) recordings[scene.id] = await record(scene)
  return {
    recordings,
    networks,
    winners: await countWinners(networks),
    redlock: site.devDependencies.redlock,
  }
}
