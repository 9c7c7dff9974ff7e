import type { LockNode, Quarantine } from '../../../../protocol/node.ts'
import type { CommandGuard } from '../../../../protocol/command.ts'
import type { Reply } from '../../../../protocol/reply.ts'
import type { Bench } from '../bench.ts'
import { acquireOf, longTtl, releaseOf } from '../commands.ts'
import { pause } from './expiry.ts'

// A volatile node can lose writes in a restart, so it must abstain afterwards.

const abstention = 300
const maxDelay = 3_000

let owners = 0

/** The guard of a client, with a short abstention. */
export const guardOf = (key: string, quarantine: Quarantine): CommandGuard => ({
  ...quarantine.guard({ prefix: '', maxTtl: abstention, driftFactor: 0 }),
  key,
  time: abstention,
})

const ask = (bench: Bench, guard: CommandGuard, node: LockNode): Promise<Reply> => {
  const about = bench.about([`key-${++owners}`], `${owners}`)
  return bench.run(acquireOf(about, { ttl: longTtl, minCounter: bench.now() }), { guard, node })
}

/** Tests that a new or restarted node abstains for as long as the guard says, and then votes. */
export const testAbstention = async (
  bench: Bench,
  guard: CommandGuard,
  node: LockNode = bench.node,
): Promise<void> => {
  const begun = performance.now()
  const first = await ask(bench, guard, node)
  if (first.status !== 'abstains' || first.because !== 'restarted')
    bench.fail('a volatile node that is new or restarted does not abstain', [first])
  const freed = await bench.run(releaseOf(bench.about(['a'], 'ada')), { guard, node })
  if (freed.status === 'abstains') bench.fail('a node that abstains rejects a release', [freed])
  for (;;) {
    const reply = await ask(bench, guard, node)
    const passed = Math.round(performance.now() - begun)
    if (reply.status === 'granted') {
      if (passed < abstention)
        bench.fail(`a node abstained for ${passed} ms instead of ${abstention} ms`, [reply])
      return
    }
    if (passed > abstention + maxDelay + bench.slowest())
      bench.fail(`a node still abstains after ${passed} ms instead of ${abstention} ms`, [reply])
    await pause(20)
  }
}
