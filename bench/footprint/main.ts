import Table from 'cli-table3'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption } from '../../tools/cli/options.ts'
import { contestants } from '../../verification/comparison/contestants/all.ts'
import { edgeRedlock } from '../../verification/comparison/contestants/edge-redlock.ts'
import { startServers } from '../shared/servers.ts'
import { footprintColumns, megabytes } from './columns.ts'
import { type Footprint, footprintOf } from './measure.ts'

// Measures what locks and throttles store on a real server, which is one node: by the memory that the
// server reports, not by the length of values. The steady state of a million locks a day is built for real:
// as many locks are released as have fences at the same time, and what would have expired is removed.

type Options = { locks: number; samples: number }

// In bytes, for a million locks a day with metadata of 2 KB.
const maxSteady = 5_000_000

const bytes = (count: number | undefined): string => (count === undefined ? '-' : count.toFixed(0))

const tableOf = (results: readonly Footprint[]): string => {
  const table = new Table({ head: ['', ...footprintColumns], style: { compact: true } })
  for (const one of results) {
    const { contestant, held, released, fence, refused, throttle, isEmulated, steady } = one
    const cells = [held, released, fence, refused].map(bytes)
    table.push([
      contestant,
      ...cells,
      bytes(throttle) + (isEmulated ? ' *' : ''),
      megabytes(steady),
    ])
  }
  return table.toString()
}

await runCommand<Options>(
  {
    name: 'npm run bench:footprint --',
    description: 'Measure the bytes that locks and throttles leave on a server',
    options: {
      locks: countOption('--locks <count>', 'of this project that are released', 100_000, 7_100),
      samples: countOption('--samples <count>', 'of everything else', 100_000, 500),
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
    const isMet = steady <= maxSteady
    return {
      isMet,
      json: { isMet, locks, samples, maxSteady, steady, results },
      lines: [
        `${servers.engine}, in another process; bytes on one node`,
        tableOf(results),
        '* has no throttle: acquires, and does not release',
        `Footprint: a million locks a day leave ${megabytes(steady)} MB per node (at most ${megabytes(maxSteady)}).`,
      ],
    }
  },
)
