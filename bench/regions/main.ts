import Table from 'cli-table3'
import { Option } from 'commander'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption, seedOption } from '../../tools/cli/options.ts'
import { type Region, regions } from '../../verification/simulation/engine/regions.ts'
import { describeTarget } from '../shared/target.ts'
import { strategies } from '../virtual/virtual-clients.ts'
import { cases } from './cases.ts'
import { type Measured, measureCase, type Options, wants } from './measure.ts'
import { type Order, orders } from './orders.ts'
import { targetsOf } from './targets.ts'

// Measures clients and nodes in five regions of AWS, in virtual time: the same figures in every run.
// The round trips are medians that https://www.cloudping.co publishes, and each way takes up to 10 %
// more or less. Each node is in a region of its own, and connections are open. How long does it take
// until a lock or a throttle has its winner, and until every client has its answer, as multiples of the
// time in which the nearest client has the replies of a quorum? All of it with the nodes in three orders:
// the one nearest to the clients first, the farthest one first, and another order for each burst.

const tableOf = (results: readonly Measured[]): string => {
  const head = ['', '', '', '', 'quorum ms', 'one winner', 'winner p50', 'answers p90', 'longest']
  const table = new Table({ head: [...head, 'requests', 'missed'], style: { compact: true } })
  const ms = (time: number | undefined, ratio: number): string =>
    `${time?.toFixed(0) ?? '-'} (x ${ratio.toFixed(2)})`
  for (const one of results) {
    table.push([
      one.order,
      one.strategy,
      one.want,
      one.name,
      one.quorumReply.toFixed(0),
      `${((100 * one.one) / one.bursts).toFixed(1)} %`,
      ms(one.toWinner, one.figures.winner),
      ms(one.p90, one.figures.answers),
      ms(one.longest, one.figures.longest),
      one.requests.toFixed(1),
      one.missed.join(', '),
    ])
  }
  return table.toString()
}

type Choice = Options & { readonly first?: Region }

await runCommand<Choice>(
  {
    name: 'npm run bench:regions --',
    description: 'Measure clients and nodes in five regions, in virtual time',
    options: {
      bursts: countOption('--bursts <count>', 'of each case', 1e6, 200),
      seed: seedOption(),
      first: new Option(
        '--first <region>',
        'only the order in which this node comes first',
      ).choices(regions),
    },
  },
  async ({ first, ...options }) => {
    const measuredOrders: readonly Order[] = first ? [`${first} first`] : orders
    const results: Measured[] = []
    for (const order of measuredOrders) {
      for (const strategy of strategies) {
        for (const want of wants) {
          for (const one of cases) {
            results.push(await measureCase(one, order, strategy, want, options))
          }
        }
      }
    }
    const bars = targetsOf(results)
    const isMet = bars.every((bar) => bar.isMet)
    return {
      isMet,
      json: { isMet, bursts: options.bursts, orders: measuredOrders, results, bars },
      lines: [tableOf(results), `Regions: ${bars.map(describeTarget).join('; ')}.`],
    }
  },
)
