import { type Scene, startActor } from './actor.ts'

/** Several who come at the same moment, with nothing else going wrong: exactly one gets the lock. */
export const checkBurst = async (scene: Scene): Promise<void> => {
  const { world, recorder } = scene
  const key = 'burst'
  const crowd = Array.from({ length: world.random.whole(2, 10) }, (_, index) =>
    startActor(scene, `b${index + 1}`),
  )
  let [winners, answered] = [0, 0]
  for (const { process, redlock, pending } of crowd) {
    recorder.begin(process.name)
    const waitUntil = (work: Promise<unknown>): void => void pending.push(work)
    void redlock
      .tryAcquire(key, { ttl: 2_000, waitUntil })
      .then(async (result) => {
        answered++
        if (result.ok) winners++
        await process.rest(500)
        if (result.ok) await result.lock.release()
        while (pending.length > 0) await Promise.all(pending.splice(0))
        return recorder.end(process.name)
      })
      .catch((error: unknown) => recorder.violated('errors', String(error)))
  }
  await world.passUntil(world.now() + 3_000)
  if (winners === 1 && answered === crowd.length) recorder.met('a burst with one winner')
  else recorder.violated('burst', `${crowd.length} came at once, and ${winners} got the lock`)
}
