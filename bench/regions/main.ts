import Table from 'cli-table3'
import { Option } from 'commander'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption, seedOption } from '../../tools/cli/options.ts'
import { regions } from '../../verification/simulation/engine/regions.ts'
import { defaultStrategy, strategies } from '../virtual/virtual-clients.ts'
import { cases } from './cases.ts'
import { type Measured, measureCase, type Options, wants } from './measure.ts'
import { targetsOf } from './targets.ts'

// Measures clients and nodes in five regions of AWS, in virtual time: the same figures in every run.
// The round trips are medians that https://www.cloudping.co publishes, and each way takes up to 10 %
// more or less. Each node is in a region of its own, and connections are open. How long does it take
// until a lock or a throttle has its winner, and until every client has its answer, as multiples of the
// time in which the nearest client has the replies of a quorum?

const tableOf = (results: readonly Measured[]): string => {
  const head = ['', '', '', 'quorum ms', 'one winner', 'winner p50', 'answers p90', 'longest']
  const table = new Table({ head: [...head, 'requests', 'missed'], style: { compact: true } })
  const ms = (time: number | undefined, ratio: number): string =>
    `${time?.toFixed(0) ?? '-'} (x ${ratio.toFixed(2)})`
  for (const one of results) {
    table.push([
      one.strategy,
      one.want,
      one.name,
      one.quorumReply.toFixed(0),
      `${((100 * one.one) / one.bursts).toFixed(1)} %`,
      ms(one.toWinner, one.winner),
      ms(one.p90, one.answers),
      one.longest?.toFixed(0) ?? '-',
      one.requests.toFixed(1),
      one.missed.join(', '),
    ])
  }
  return table.toString()
}

/** The largest figures of a group, each with its maximum. */
const describe = (group: string, results: readonly Measured[]): string => {
  const own = results.filter((one) => one.group === group)
  const { limits } = own[0]!
  const largest = (read: (one: Measured) => number, max: number | undefined): string =>
    `${Math.max(...own.map(read)).toFixed(2)}${max === undefined ? '' : ` (at most ${max})`}`
  return `${group} ${[
    `winner ${largest(({ winner }) => winner, limits?.winner)}`,
    `answers ${largest(({ answers }) => answers, limits?.answers)}`,
    `requests ${largest(({ requests }) => requests, limits?.requests)}`,
  ].join(', ')}`
}

await runCommand<Options>(
  {
    name: 'npm run bench:regions --',
    description: 'Measure clients and nodes in five regions, in virtual time',
    options: {
      bursts: countOption('--bursts <count>', 'of each case', 1e6, 200),
      seed: seedOption(),
      first: new Option('--first <region>', 'whose node has the lowest rank')
        .choices(regions)
        .default(regions[0]),
    },
  },
  async (options) => {
    const { bursts, first } = options
    const results: Measured[] = []
    for (const strategy of strategies) {
      for (const want of wants) {
        for (const one of cases) {
          results.push(await measureCase(one, strategy, want, options))
        }
      }
    }
    const withOneWinner = results.reduce((sum, { one }) => sum + one, 0)
    const counted = results.filter(({ strategy }) => strategy === defaultStrategy)
    const bars = targetsOf(results, counted)
    const missed = counted.filter((one) => one.missed.length > 0)
    const isMet = bars.every((bar) => bar.isMet)
    const groups = [...new Set(cases.map(({ group }) => group))]
    return {
      isMet,
      json: { isMet, bursts, first, results, bars },
      lines: [
        tableOf(results),
        `Regions: ${withOneWinner} of ${bursts * results.length} bursts with exactly one winner; ${defaultStrategy}, times the quorum-th reply at most: ${groups.map((group) => describe(group, counted)).join('; ')}; ${missed.length} of ${counted.length} cases missed.`,
      ],
    }
  },
)
