import { Option } from 'commander'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption, seedOption } from '../../tools/cli/options.ts'
import { type Region, regions } from '../../verification/simulation/engine/regions.ts'
import { strategies } from '../bursts/virtual-world.ts'
import { terminalTable } from '../shared/table.ts'
import { outcomeOf } from '../shared/target.ts'
import { cases } from './cases.ts'
import { measureCase, type MeasuredRegions, wants } from './measure.ts'
import { type Order, orders } from './orders.ts'
import { regionColumns, targetsOf } from './results.ts'

// Measures clients and nodes in five regions of AWS, in virtual time, with the same figures in every run. The round
// trips are medians that https://www.cloudping.co publishes, and each way takes up to 10 % more or less. Each node is
// in a different region, and connections are open.
//
// How long does it take until a lock or a throttle has its winner, and until every client has its answer? The times
// are multiples of the time in which the nearest client has the replies of a quorum. The node of each region comes
// first in one measurement, because the first node breaks ties. Another one draws a random order for each burst.

await runCommand<{ bursts: number; seed: number; first?: Region }>(
  {
    name: 'npm run bench -- regions',
    description: 'Measure clients and nodes in five regions, in virtual time',
    options: {
      bursts: countOption('--bursts <count>', 'the number of bursts in each case', 1e6, 200),
      seed: seedOption(),
      first: new Option(
        '--first <region>',
        'only the order in which this node comes first',
      ).choices(regions),
    },
  },
  async ({ first, ...options }) => {
    const measuredOrders = first ? ([`${first} first`] satisfies Order[]) : orders
    const results: MeasuredRegions[] = []
    for (const order of measuredOrders) {
      for (const contestant of Object.keys(strategies)) {
        for (const want of wants) {
          for (const one of cases) {
            results.push(await measureCase(one, order, contestant, want, options))
          }
        }
      }
    }
    const json = { bursts: options.bursts, orders: measuredOrders, results }
    return outcomeOf('Regions', targetsOf(results), json, [terminalTable(results, regionColumns)])
  },
)
