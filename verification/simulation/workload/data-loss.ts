import type { Scenario } from './scenario.ts'

/**
 * Sometimes restarts servers that lose data. It is called while a lock is held, when data loss does
 * most harm.
 */
export const injectDataLoss = ({ loop, rates, servers, recorder }: Scenario): void => {
  const { random } = loop
  const server = random.pick(servers)
  if (random.chance(rates.restarts / 8)) {
    recorder.covered('restart without data')
    for (const one of random.chance(0.3) ? servers : [server]) {
      one.restart()
      recorder.restarted(one.name, one.entries)
    }
  } else if (random.chance(rates.rollbacks / 8)) {
    recorder.covered('restart without the last writes')
    server.rollBack(random.whole(1, 4))
    recorder.restarted(server.name, server.entries)
  }
}
