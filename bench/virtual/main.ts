import { runCommand } from '../../tools/cli/command.ts'
import { countOption, seedOption } from '../../tools/cli/options.ts'
import { burstSizes, sizesOption } from '../shared/sizes-option.ts'
import { maxRatios, maxRatiosOf, missedRatios, worstOf } from '../sick/ratios.ts'
import { lockOnce, measureBursts } from './bursts.ts'
import { measureSick, type SickBursts } from './sick.ts'
import { type Bursts, burstsTable, sickTable, waitersTable } from './tables.ts'
import {
  defaultStrategy,
  openVirtualClients,
  strategies,
  type Strategy,
} from './virtual-clients.ts'
import { measureWaiters, type Waiters } from './waiters.ts'

// Measures clients that want one lock at the same time, in virtual time: the protocol alone, without
// the machine, and with the same figures in every run. `npm run bench:contention` and
// `npm run bench:sick` measure the same on real servers, where the work of the machine is added.

type Options = { sizes: number[]; bursts: number; sickBursts: number; worlds: number; seed: number }

// The targets of a sick node hold for the default strategy; small bursts give fewer answers each.
const factorOf = (strategy: Strategy, size: number): number =>
  strategy === defaultStrategy && size < 50 ? 5 : 1

await runCommand<Options>(
  {
    name: 'npm run bench:virtual --',
    description: 'Measure contention in virtual time, the same in every run',
    options: {
      sizes: sizesOption('--sizes <list>', 'how many clients come at once', burstSizes),
      bursts: countOption('--bursts <count>', 'of each size', 1e6, 1000),
      sickBursts: countOption(
        '--sick-bursts <count>',
        'of 50 clients with each sick node; five times as many of fewer clients',
        1e6,
        100,
      ),
      worlds: countOption('--worlds <count>', 'in which clients wait', 1e6, 20),
      seed: seedOption(),
    },
  },
  async (options) => {
    const { seed } = options
    const bursts: Bursts[] = []
    const sick: SickBursts[] = []
    const waiters: Waiters[] = []
    for (const strategy of strategies) {
      for (const size of options.sizes) {
        const world = openVirtualClients(seed, size, strategy)
        bursts.push({ strategy, size, ...(await measureBursts(world, options.bursts, lockOnce)) })
        const sickBursts = { bursts: options.sickBursts * factorOf(strategy, size), seed }
        sick.push(...(await measureSick(strategy, size, sickBursts)))
      }
      for (const size of [2, 20, 100]) waiters.push(await measureWaiters(strategy, size, options))
    }
    const all = [...bursts, ...sick]
    const count = all.reduce((sum, one) => sum + one.bursts, 0)
    const withOneWinner = all.reduce((sum, { one }) => sum + one, 0)
    const compared = sick.flatMap(({ strategy, size, ratios }) =>
      strategy === defaultStrategy && ratios ? [{ size, ratios }] : [],
    )
    const worst = worstOf(compared.map(({ ratios }) => ratios))
    const missed = compared.filter(
      ({ ratios, size }) => missedRatios(ratios, size).length > 0,
    ).length
    const twenty = waiters.find((one) => one.strategy === defaultStrategy && one.size === 20)!
    const hundred = waiters.find((one) => one.strategy === defaultStrategy && one.size === 100)!
    const isMet =
      withOneWinner === count &&
      missed === 0 &&
      twenty.ratio <= 1.6 &&
      twenty.requests <= 30 &&
      hundred.unluckiest <= 4
    return {
      isMet,
      json: { isMet, bursts, sick, waiters },
      lines: [
        burstsTable(bursts),
        sickTable(sick),
        waitersTable(waiters),
        `Virtual time: ${withOneWinner} of ${count} bursts with exactly one winner; with one sick node at most ${worst.toWinner.toFixed(2)} times as long to the winner (at most ${maxRatios.toWinner}, of three clients ${maxRatiosOf(3).toWinner}), p90 of all answers ${worst.p90.toFixed(2)} times (at most ${maxRatios.p90}), requests ${worst.requests.toFixed(2)} times (at most ${maxRatios.requests}), ${missed} of ${compared.length} cases missed; 20 who wait ${twenty.ratio.toFixed(2)} times as long as one alone (at most 1.6), ${twenty.requests.toFixed(1)} requests each (at most 30); 100 who wait ${hundred.ratio.toFixed(2)} times as long, ${hundred.requests.toFixed(1)} requests each, the longest wait ${hundred.unluckiest.toFixed(2)} times the median (at most 4).`,
      ],
    }
  },
)
