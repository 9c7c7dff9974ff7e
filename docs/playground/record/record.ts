import type { Recording } from '../recording.ts'
import { layOut } from './lay-out.ts'
import { type Scene, scenes } from './scenes.ts'
import { makeWorld } from './world.ts'

// Ms after which each scene is over.
const longest = 10_000

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

/** The histories of all scenes, by their ids. */
export const recordAll = async (): Promise<Record<string, Recording>> => {
  const recordings: Record<string, Recording> = {}
  // One after the other, since they share the runtime.
  for (const scene of scenes) recordings[scene.id] = await record(scene)
  return recordings
}
