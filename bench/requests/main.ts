import { runCommand } from '../../tools/cli/command.ts'
import { countOption } from '../../tools/cli/options.ts'
import { upstashLock } from '../../verification/comparison/contestants/upstash-lock.ts'
import { ratelimits } from '../../verification/comparison/contestants/upstash-ratelimit.ts'
import { own } from '../shared/own.ts'
import { rivals } from '../shared/rivals.ts'
import { startServers } from '../shared/servers.ts'
import { terminalTable } from '../shared/table.ts'
import { outcomeOf } from '../shared/target.ts'
import { type Costs, costsOf, type Measured } from './costs.ts'
import { requestColumns, targetsOf } from './results.ts'

// Counts the commands that a library sends, including those sent after the caller has its answer. Also counts the
// commands that the servers execute for them, including those inside scripts. The real servers are 3 to 10 ms away
// each way, with the scripts loaded.

/** The contestants that run on this many nodes. */
const fields: readonly (readonly [nodes: number, contestants: readonly Measured[]])[] = [
  [1, [...own.slice(0, 1), upstashLock, ...ratelimits]],
  [3, [...own, ...rivals]],
  [5, [...own, ...rivals]],
]

await runCommand<{ cycles: number }>(
  {
    name: 'npm run bench -- requests',
    description: 'Count the commands of an acquire, a rejection and a throttle',
    options: {
      cycles: countOption('--cycles <count>', 'the number of cycles of each step', 10_000, 20),
    },
  },
  async ({ cycles }) => {
    await using started = new AsyncDisposableStack()
    const servers = await startServers(5)
    started.defer(servers.close)
    const results: Costs[] = []
    for (const [count, contestants] of fields) {
      const addresses = servers.addresses.slice(0, count)
      for (const one of contestants) results.push(await costsOf(one, addresses, cycles))
    }
    return outcomeOf('Commands', targetsOf(results), { cycles, results }, [
      `${servers.engine}, in another process`,
      'Commands that are sent, where a script is one; those that are executed, also in scripts; and USD for a million of the latter at $0.20 per 100,000',
      terminalTable(results, requestColumns),
      '* has no throttle: acquires, and does not release',
    ])
  },
)
