import Table from 'cli-table3'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption, seedOption } from '../../tools/cli/options.ts'
import { type Bursts, measureBursts, measureWaiters, type Waiters } from './measure.ts'
import type { Strategy } from './virtual-clients.ts'

// Measures clients that want one lock at the same time, in virtual time: the protocol alone, without
// the machine, and with the same figures in every run. `npm run bench:contention` measures the same
// on real servers, where the work of the machine is added.

const strategies: readonly Strategy[] = ['parallel', 'frugal']

const burstsTable = (results: readonly Bursts[], bursts: number): string => {
  const table = new Table({
    head: ['', 'at once', 'exactly one winner', 'requests', 'ms to the winner'],
    style: { compact: true },
  })
  for (const { strategy, size, one, requests, toWinner } of results) {
    const share = `${((100 * one) / bursts).toFixed(1)} %`
    table.push([strategy, size, share, requests.toFixed(1), toWinner.toFixed(1)])
  }
  return table.toString()
}

const waitersTable = (results: readonly Waiters[]): string => {
  const table = new Table({
    head: ['', 'wait', 'time, against one alone', 'requests each', 'longest / median wait'],
    style: { compact: true },
  })
  for (const { strategy, size, ratio, requests, unluckiest } of results) {
    const figures = [ratio, requests, unluckiest].map((figure) => figure.toFixed(2))
    table.push([strategy, size, ...figures])
  }
  return table.toString()
}

await runCommand<{ bursts: number; worlds: number; seed: number }>(
  {
    name: 'npm run bench:virtual --',
    description: 'Measure contention in virtual time, the same in every run',
    options: {
      bursts: countOption('--bursts <count>', 'of each size', 1e6, 1000),
      worlds: countOption('--worlds <count>', 'in which clients wait', 1e6, 20),
      seed: seedOption(),
    },
  },
  async (options) => {
    const bursts: Bursts[] = []
    const waiters: Waiters[] = []
    for (const strategy of strategies) {
      for (const size of [2, 3, 5, 10, 50]) {
        bursts.push(await measureBursts(strategy, size, options))
      }
      for (const size of [2, 20, 100]) waiters.push(await measureWaiters(strategy, size, options))
    }
    const twenty = waiters.find((one) => one.strategy === 'parallel' && one.size === 20)!
    const hundred = waiters.find((one) => one.strategy === 'parallel' && one.size === 100)!
    const isMet =
      bursts.every(({ one }) => one === options.bursts) &&
      twenty.ratio <= 1.6 &&
      twenty.requests <= 30 &&
      hundred.unluckiest <= 4
    const withOneWinner = bursts.reduce((sum, { one }) => sum + one, 0)
    return {
      isMet,
      json: { isMet, bursts, waiters },
      lines: [
        burstsTable(bursts, options.bursts),
        waitersTable(waiters),
        `Virtual time: ${withOneWinner} of ${options.bursts * bursts.length} bursts with exactly one winner; 20 who wait ${twenty.ratio.toFixed(2)} times as long as one alone (at most 1.6), ${twenty.requests.toFixed(1)} requests each (at most 30); of 100 the longest wait ${hundred.unluckiest.toFixed(2)} times the median (at most 4).`,
      ],
    }
  },
)
