import { runCommand } from '../../tools/cli/command.ts'
import { countOption } from '../../tools/cli/options.ts'
import { contestants } from '../../verification/comparison/contestants/all.ts'
import { edgeRedlock } from '../../verification/comparison/contestants/edge-redlock.ts'
import { startServers } from '../shared/servers.ts'
import { terminalTable } from '../shared/table.ts'
import { outcomeOf, target } from '../shared/target.ts'
import { type Footprint, footprintOf } from './measure.ts'
import { footprintColumns } from './results.ts'

// Measures what locks and throttles store on a real server, which is one node. It uses the memory that the server
// reports, not the length of the values. It builds the steady state of a million locks a day. To that end, it
// releases as many locks as have fences at the same time, and removes expired keys.

type Options = { locks: number; samples: number }

// For a million locks a day with metadata of 2 KB.
const maxMegabytes = 5

await runCommand<Options>(
  {
    name: 'npm run bench -- footprint',
    description: 'Measure the bytes that locks and throttles leave on a server',
    options: {
      locks: countOption(
        '--locks <count>',
        'the number of released locks of this project',
        100_000,
        7_100,
      ),
      samples: countOption(
        '--samples <count>',
        'the number of samples of everything else',
        100_000,
        500,
      ),
    },
  },
  async ({ locks, samples }) => {
    await using started = new AsyncDisposableStack()
    const servers = await startServers(1)
    started.defer(servers.close)
    const results: Footprint[] = []
    for (const one of contestants) {
      const released = one === edgeRedlock ? locks : samples
      results.push(await footprintOf(one, servers.addresses[0]!, { released, others: samples }))
    }
    const { steady } = results.find(({ contestant }) => contestant === edgeRedlock.name)!
    const about = 'MB per node that a million locks a day leave'
    const targets = [target(about, steady / 1_000_000, maxMegabytes)]
    return outcomeOf('Footprint', targets, { locks, samples, steady, results }, [
      `${servers.engine}, in another process; bytes on one node`,
      terminalTable(results, footprintColumns),
      '* has no throttle: acquires, and does not release',
    ])
  },
)
