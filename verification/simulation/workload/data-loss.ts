import type { Scene } from './simulated-client.ts'

/** A server that forgets is worst while somebody holds a lock; all of them, worst of all. */
export const spoilData = ({ world, weather, servers, recorder }: Scene): void => {
  const { random } = world
  const server = random.pick(servers)
  if (random.chance(weather.restarts / 8)) {
    recorder.met('an empty restart')
    for (const one of random.chance(0.3) ? servers : [server]) {
      one.restart()
      recorder.restarted(one.name, one.entries)
    }
  } else if (random.chance(weather.rollbacks / 8)) {
    recorder.met('a restart without the last writes')
    server.rollBack(random.whole(1, 4))
    recorder.restarted(server.name, server.entries)
  }
}
