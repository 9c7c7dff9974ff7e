import { runCommand } from '../../tools/cli/command.ts'
import { countOption, seedOption } from '../../tools/cli/options.ts'
import { burstSizes, sizesOption } from '../shared/sizes-option.ts'
import { maxFreshRatiosOf, maxRatiosOf } from '../sick/ratios.ts'
import { describeTarget } from '../shared/target.ts'
import { lockOnce, measureBursts } from './bursts.ts'
import { measureFresh, measureSick, type SickBursts } from './sick.ts'
import { type Bursts, burstsTable, sickTable, waitersTable } from './tables.ts'
import { targetsOf } from './targets.ts'
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
    const fresh: SickBursts[] = []
    const waiters: Waiters[] = []
    for (const strategy of strategies) {
      for (const size of options.sizes) {
        const world = openVirtualClients(seed, size, strategy)
        bursts.push({ strategy, size, ...(await measureBursts(world, options.bursts, lockOnce)) })
        const sickBursts = { bursts: options.sickBursts * factorOf(strategy, size), seed }
        sick.push(...(await measureSick(strategy, size, sickBursts)))
      }
      const freshBursts = { bursts: options.sickBursts * factorOf(strategy, 2), seed }
      fresh.push(...(await measureFresh(strategy, freshBursts)))
      for (const size of [2, 20, 100]) waiters.push(await measureWaiters(strategy, size, options))
    }
    const bars = targetsOf(bursts, sick, fresh, waiters)
    const isMet = bars.every((bar) => bar.isMet)
    return {
      isMet,
      json: { isMet, bursts, sick, fresh, waiters, bars },
      lines: [
        burstsTable(bursts),
        sickTable(sick, maxRatiosOf),
        'Double clicks, each by two clients that know nothing of the nodes:',
        sickTable(fresh, maxFreshRatiosOf),
        waitersTable(waiters),
        `Virtual time: ${bars.map(describeTarget).join('; ')}.`,
      ],
    }
  },
)
