import type { Lock } from '../../../src/index.ts'
import { callAs } from './calls.ts'
import { extend, giveBack, holdOf } from './operations.ts'
import { type Actor, type Scene, startActor } from './simulated-client.ts'

// One holds a lock to the last moment, and another comes at the very moment that it can come free:
// what is counted a few milliseconds too long shows here.

const useUp = async (scene: Scene, actor: Actor, lock: Lock): Promise<void> => {
  const { random, now } = scene.world
  const hold = holdOf(scene, actor, lock)
  try {
    for (let times = random.whole(0, 2); times > 0; times--) {
      await actor.process.rest(random.between(0, 0.4) * (hold.until - now()))
      await extend(scene, lock, hold)
    }
    await actor.process.rest(hold.until - now())
  } finally {
    await giveBack(scene, actor, lock, hold)
  }
}

export const holdToTheEnd = async (scene: Scene, actor: Actor): Promise<void> => {
  const { world, keys, longest, options, handedOn } = scene
  const { random } = world
  const isHandedOn = random.chance(0.3)
  let text: string | undefined
  await callAs(scene, actor, async (common) => {
    const lock = await actor.redlock.acquire(keys[0]!, { ...common, wait: longest })
    if (!isHandedOn) return useUp(scene, actor, lock)
    handedOn.add(lock.value)
    text = JSON.stringify(lock)
    return undefined
  })
  if (text === undefined) return
  const heir = startActor(scene, `${actor.process.name}'`)
  await callAs(scene, heir, async ({ waitUntil }) => {
    const adopted = heir.redlock.adopt(text!, { waitUntil })
    await adopted.extend(random.whole(25, options.ttl))
    await useUp(scene, heir, adopted)
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
