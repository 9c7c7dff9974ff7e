import { isLockLostError, isQuorumError } from '../../../src/index.ts'
import type { Server } from '../engine/server.ts'
import { isTidy } from '../workload/fault-rates.ts'
import { askToken } from '../workload/operations.ts'
import type { Scene } from '../workload/simulated-client.ts'

// What must be true when all faults have healed and all calls are over.

/** Everyone who is left gets what they ask for. */
export const checkService = async (scene: Scene): Promise<void> => {
  const { world, recorder, actors, keys, weather } = scene
  if (weather.twins) return
  let served = 0
  const alive = actors.filter(({ process }) => process.isAlive())
  for (const actor of alive) {
    const { process, redlock } = actor
    recorder.begin(process.name)
    void redlock
      .acquire(keys, { wait: 60_000, retry: { minDelay: 5, maxDelay: 60 } })
      .then(async (lock) => {
        // With a short ttl there may be no time left for it.
        await askToken(scene, actor, lock).catch((error: unknown) => {
          if (!isQuorumError(error) && !isLockLostError(error)) throw error
        })
        await lock.release()
        return served++
      })
      .catch((error: unknown) => recorder.violated('service', `${process.name}: ${String(error)}`))
  }
  await world.passUntil(world.now() + 20_000)
  if (served < alive.length) {
    recorder.violated('service', `${served} of ${alive.length} were served in 20 s`)
  }
  recorder.met('everyone served')
}

const isAlive = (server: Server, key: string): boolean =>
  server.wall() <= (server.entries.get(key)?.expiresAt ?? -Infinity)

/** When a call is over, and every request was executed, its locks are gone. */
export const checkTidy = (scene: Scene, process: string, values: ReadonlySet<string>): void => {
  const { world, recorder, weather, servers, actors, forgotten, handedOn } = scene
  if (!isTidy(weather)) return
  // By then all that is under way has arrived.
  world.after(15, () => {
    for (const value of values) {
      const isHeld = actors.some(({ holding }) =>
        [...holding.keys()].some((hold) => hold.value === value),
      )
      if (isHeld || forgotten.has(value) || handedOn.has(value)) continue
      for (const server of servers) {
        for (const [key, entry] of server.entries) {
          if (!key.startsWith('lock:l:') || !entry.value.startsWith(value)) continue
          if (isAlive(server, key)) {
            recorder.violated('leftovers', `${process} left ${value.slice(0, 8)} on ${server.name}`)
          }
        }
      }
    }
    recorder.met('looked for leftovers')
  })
}

/** No timer, no request and no key that goes on for ever. */
export const checkLeftovers = ({ recorder, actors, servers, network }: Scene): void => {
  for (const { process } of actors) {
    if (process.isAlive() && process.timers() > 0) {
      recorder.violated('timers', `${process.name} has ${process.timers()} left`)
    }
  }
  if (network.underWay() > 0) recorder.violated('settled', 'requests are still under way')
  for (const server of servers) {
    for (const key of server.entries.keys()) {
      if (/^lock:[lt]:/.test(key) && isAlive(server, key)) {
        recorder.violated('leftovers', `${key} is still on ${server.name}`)
      }
    }
  }
}
