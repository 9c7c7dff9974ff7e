import type { Scenario } from './scenario.ts'

/**
 * Sometimes makes servers lose data, through a restart or a fail-over and back. Call this while a lock is held, because
 * data loss does the most harm then.
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
    const writes = random.whole(1, 4)
    // For a node that is not volatile, a restart and a fail-over have the same effect.
    if (rates.volatile && random.chance(0.5)) {
      recorder.covered('fail-over and back without the last writes')
      server.failBack(writes)
    } else {
      recorder.covered('restart without the last writes')
      server.rollBack(writes)
    }
    recorder.restarted(server.name, server.entries)
  }
}
