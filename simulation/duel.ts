import type { Actor, Scene } from './actor.ts'
import { callAs } from './calls.ts'
import { extend, giveBack, holdOf } from './operations.ts'

// One holds a lock to the last moment, and another comes at the very moment that it can come free:
// what is counted a few milliseconds too long shows here.

export const holdToTheEnd = async (scene: Scene, actor: Actor): Promise<void> => {
  const { world, keys, longest } = scene
  const { random } = world
  await callAs(scene, actor, async (options) => {
    const lock = await actor.redlock.acquire(keys[0]!, { ...options, wait: longest })
    const hold = holdOf(scene, actor, lock)
    try {
      for (let times = random.whole(0, 2); times > 0; times--) {
        await actor.process.rest(random.between(0, 0.4) * (hold.until - world.now()))
        await extend(scene, lock, hold)
      }
      await actor.process.rest(hold.until - world.now())
    } finally {
      await giveBack(scene, actor, lock, hold)
    }
  })
}

export const comeAtTheEnd = async (scene: Scene, actor: Actor): Promise<void> => {
  const { world, keys, longest } = scene
  const { random } = world
  await actor.process.rest(random.between(0, longest))
  await callAs(scene, actor, async (options) => {
    const lock = await actor.redlock.acquire(keys[0]!, {
      ...options,
      wait: 4 * longest,
      retry: (_, { retryAfter }) => Math.min(retryAfter, random.between(1, longest)),
    })
    const hold = holdOf(scene, actor, lock)
    await actor.process.rest(random.between(0, 20))
    await giveBack(scene, actor, lock, hold)
  })
}
