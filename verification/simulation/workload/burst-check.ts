import { type Scene, startActor } from './simulated-client.ts'

/** What else goes on while they come. */
const trouble = [
  'none',
  'none',
  'none',
  'lowest down',
  'lowest cut off from some',
  'one dies',
] as const
type Trouble = (typeof trouble)[number]

// Longer than anybody asks; and longer than that, what the winner holds.
const over = 4_000
const life = 6_000

/**
 * Several who come at the same moment, for a lock, a throttle or several keys. Nobody gets it beside
 * another; and where all see the same, exactly one does.
 */
export const checkBurst = async (scene: Scene): Promise<void> => {
  const { world, recorder, network, servers } = scene
  const { random } = world
  // Of two, none may be down.
  const kind: Trouble = servers.length > 2 ? random.pick(trouble) : 'none'
  const key = random.pick(['burst', 'burst', ['burst', 'and another']])
  const isThrottle = random.chance(0.3)
  const lowest = servers[0]!.name
  const crowd = Array.from({ length: random.whole(2, 10) }, (_, index) =>
    startActor(scene, `b${index + 1}`),
  )
  if (kind === 'lowest down') network.hang(lowest, over)
  let [winners, answered] = [0, 0]
  for (const { process, redlock, pending } of crowd) {
    recorder.begin(process.name)
    const isCutOff = kind === 'lowest cut off from some' && random.chance(0.5)
    if (isCutOff) network.cut(process.name, lowest, over)
    const waitUntil = (work: Promise<unknown>): void => void pending.push(work)
    const ask = async (): Promise<void> => {
      const result = isThrottle
        ? await redlock.throttle(key, { window: life, waitUntil })
        : await redlock.tryAcquire(key, { ttl: life, waitUntil })
      answered++
      if (result.ok) winners++
      // Until everyone has been answered.
      await process.rest(over)
      if ('lock' in result) await result.lock.release()
      while (pending.length > 0) await Promise.all(pending.splice(0))
      recorder.end(process.name)
    }
    ask().catch((error: unknown) => recorder.violated('errors', String(error)))
  }
  if (kind === 'one dies') {
    const unlucky = random.pick(crowd).process
    world.after(random.between(1, 40), () => unlucky.kill())
  }
  const begun = world.now()
  await world.passUntil(begun + over - 1)
  const isSure = kind === 'none' || kind === 'lowest down'
  if (winners === 1) recorder.met(`a burst with one winner, trouble: ${kind}`)
  else if (winners > 1 || isSure) {
    recorder.violated('burst', `${crowd.length} came (trouble: ${kind}), and ${winners} got it`)
  } else recorder.met(`a burst without a winner, trouble: ${kind}`)
  if (isSure && answered < crowd.length) recorder.violated('burst', 'not everyone was answered')
  await world.passUntil(begun + over + 2 * life)
}
